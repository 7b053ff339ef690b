// A process of its own that contends for one key: forked by tests, told what to do by message.
import { once } from 'node:events';
import { promisify } from 'node:util';
import { createLocks } from '@locks/core';
import { createSqlProvider } from '@locks/sql';
import { openKnex } from '../support/open-knex.mjs';

process.send({ wallClock: Date.now() });
const [{ url, options, key, workers, rounds, ttl }] = await once(process, 'message');

const instance = openKnex(url, { pool: { min: 0, max: 10 } });
const provider = createSqlProvider(instance, options);
const locks = createLocks(provider, { ttl });
const tokens = [];
const contend = async () => {
  for (let round = 0; round < rounds; round += 1) {
    await locks.withLock(key, (lease) => void tokens.push(String(lease.token)));
  }
};
await Promise.all(Array.from({ length: workers }, contend));
await promisify(process.send.bind(process))({ tokens });

await locks.close();
await provider.close();
await instance.destroy();
// Nothing is left that an end of the process would cut off.
process.exit();
