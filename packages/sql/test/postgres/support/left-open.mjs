// Waits for a lock once, and ends everything but the provider, which stays open.
import { setImmediate } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { createSqlProvider } from '@locks/sql';
import knex from 'knex';

const instance = knex({ client: 'pg', connection: process.argv[2] });
const locks = createLocks(createSqlProvider(instance));
const first = await locks.acquire('report');
const second = locks.acquire('report');
while ((await locks.inspect('report')).waiters === 0);
await first.release();
await (await second).release();
await locks.close();
// knex warns of requests that a pool still has when it ends.
const { pool } = instance.client;
while (pool.numPendingAcquires() + pool.numUsed() > 0) await setImmediate();
await instance.destroy();
process.stdout.write('done');
