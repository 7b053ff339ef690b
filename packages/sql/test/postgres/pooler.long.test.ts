import { eventually, listen } from '@locks/test-servers';
import { openLocks } from '@locks/core';
import knexOf from 'knex';
import { Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contendInTurn, startContender } from '../servers/contenders.ts';
import { withClient, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { newDatabase } from '../support/databases.ts';
import { join, queueUp } from '../servers/parties.ts';
import type { Party } from '../servers/parties.ts';
import { startPgbouncer } from './support/pgbouncer.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import { wakeReports } from '../support/wake-reports.ts';

const server = await serverOfFile();

test('behind pgbouncer, which lends a connection for each transaction, processes are served one at a time', async () => {
  const url = await ownTables(server);
  const pooled = await startPgbouncer(url);
  const contenders = await Promise.all([startContender(), startContender(), startContender()]);
  // One of them is not behind it.
  const behind = { url: pooled, options: { listen: false } };
  await contendInTurn(contenders, { url, key: 'hot', workers: 5, rounds: 6, ttl: 30_000 }, [{}, behind, behind]);
  await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT count(*)::integer AS n FROM locks_queue');
    expect(rows).toEqual([{ n: 0 }]);
  });
});

test('behind pgbouncer the pool of openLocks asks for nothing that cannot be lent', async () => {
  const url = await ownTables(server);
  const locks = await openLocks({ url: await startPgbouncer(url), options: { listen: false } });
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  const queue = await queueUp([locks, locks], 'job');
  await lease.renew();
  await lease.release();
  await queue.all;
  expect(queue.order).toEqual([0, 1]);
});

test('a session that a pooler lends to others keeps no lock', async () => {
  const url = await ownTables(server);
  const [holder, party] = [join(url), join(await startPgbouncer(url))];
  const lease = await holder.locks.acquire('job');
  const waiting = party.locks.acquire('job');
  await eventually('a waiter', async () => (await holder.locks.inspect('job')).waiters === 1);
  await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT process FROM locks_queue');
    expect(rows).toEqual([{ process: expect.not.stringContaining('+') }]);
    const found = await client.query(
      "SELECT 1 FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database WHERE locktype = 'advisory' AND datname = current_database()",
    );
    expect(found.rows).toEqual([]);
  });
  await lease.release();
  await (await waiting).release();
});

/** How long it takes until a release is noticed, in ms, again and again. */
async function handOvers(holder: Party, party: Party, rounds: number): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lease = await holder.locks.acquire('job', { ttl: 60_000 });
    const next = party.locks.acquire('job');
    await eventually('a waiter', async () => (await holder.locks.inspect('job')).waiters === 1);
    const releasedAt = performance.now();
    await lease.release();
    const got = await next;
    delays.push(performance.now() - releasedAt);
    await got.release();
  }
  return delays.toSorted((a, b) => a - b);
}

test('a process that listens though it is behind one finds out that it hears nothing, says so and polls', async () => {
  const url = await ownTables(server);
  const pooled = await startPgbouncer(url);
  const { messages } = wakeReports();
  const [holder, party] = [join(url), join(pooled)];
  const delays = await handOvers(holder, party, 6);
  // It looks every 25 ms; without, it would be every two seconds.
  expect(delays[3]).toBeLessThan(500);
  const { provider, state, reason } = await eventually('a report', () => messages.at(-1));
  expect({ provider, state }).toEqual({ provider: 'postgres', state: 'polling' });
  expect(String(reason)).toMatch(/pooler.*listen/);
  // And goes on so.
  expect((await handOvers(holder, party, 3))[1]).toBeLessThan(500);
});

test('knex with a pool of its owner: nothing is connected to by guess, and it polls', async () => {
  const url = await ownTables(server);
  const { messages } = wakeReports();
  const pool = new Pool({ connectionString: url, max: 4 });
  pool.on('error', () => {});
  const knex = knexOf({ client: 'pg', connectionPool: pool });
  // Where a connection with no settings would go.
  let guesses = 0;
  const elsewhere = await listen((socket) => {
    guesses += 1;
    socket.destroy();
  });
  vi.stubEnv('PGHOST', '127.0.0.1');
  vi.stubEnv('PGPORT', `${elsewhere.port}`);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await pool.end();
    await elsewhere.stop();
  });
  const party = { knex, ...locksOver(knex, {}, { ttl: 5_000 }) };
  const delays = await handOvers(join(url, { listen: false }), party, 6);
  expect(delays[3]).toBeLessThan(500);
  expect(guesses).toBe(0);
  expect(messages.map(({ state }) => state)).toEqual(['polling']);
});

test('a URL of a pooler that refuses the settings of sessions is told with the way out', async () => {
  const url = await ownTables(server);
  await expect(openLocks(await startPgbouncer(url))).rejects.toMatchObject(
    misconfigured(/startup parameter.*listen=false/),
  );
});

test('a password that the server refuses behind pgbouncer is LOCK_MISCONFIGURED with its words', async () => {
  const url = await ownTables(server);
  await withClient(url, async (client) => void (await client.query("CREATE ROLE behind LOGIN PASSWORD 'old'")));
  const own = new URL(url);
  own.username = 'behind';
  own.password = 'old';
  const pooled = new URL(await startPgbouncer(own.href));
  await withClient(url, async (client) => void (await client.query("ALTER ROLE behind PASSWORD 'new'")));
  // A database without connections of the pooler yet.
  pooled.pathname = new URL(await newDatabase(server.url)).pathname;
  await expect(openLocks({ url: pooled.href, options: { listen: false } })).rejects.toMatchObject(
    misconfigured(/password authentication failed.*at the pooler/),
  );
});
