import { eventually } from '@locks/test-servers';
import type { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startContender } from '../servers/contenders.ts';
import { connect, createTables, startServer } from './support/database.ts';
import { join } from './support/postgres.ts';

const server = await startServer('shared_preload_libraries=pg_stat_statements');
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

/** Counts what clients send, from now on. */
async function counting(client: Client): Promise<() => Promise<number>> {
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await client.query('SELECT pg_stat_statements_reset()');
  return async () => {
    const { rows } = await client.query<{ calls: number }>(
      `SELECT sum(calls)::integer AS calls FROM pg_stat_statements
        WHERE query NOT LIKE '%pg_stat_%' AND query NOT LIKE '%pg_is_in_recovery%' AND query NOT LIKE '%to_regclass%' AND query NOT LIKE 'LISTEN%' AND query !~* 'select version'`,
    );
    return rows[0]?.calls ?? 0;
  };
}

test('an uncontended acquire and release take two statements, and send no notification', async () => {
  const client = await connect(url);
  const { locks } = join(url);
  const count = await counting(client);
  const pairs = 200;
  for (let pair = 0; pair < pairs; pair += 1) await (await locks.acquire(`key-${pair % 7}`)).release();
  expect(await count()).toBe(2 * pairs);
});

test('ten free keys take one statement, whether they were used before or not', async () => {
  const client = await connect(url);
  const { locks } = join(url);
  const count = await counting(client);
  const rounds = 20;
  for (let round = 0; round < rounds; round += 1) {
    const keys = Array.from({ length: 10 }, (_, index) => `several-${round % 10}-${index}`);
    const lease = await locks.multiLock(keys).acquire();
    expect(lease.tokens.size).toBe(10);
    await lease.release();
  }
  // One to take them, one to release them.
  expect(await count()).toBe(2 * rounds);
});

test('ten keys of which one is not free take three statements', async () => {
  const client = await connect(url);
  const { locks } = join(url);
  const keys = Array.from({ length: 10 }, (_, index) => `taken-${index}`);
  await (await locks.multiLock(keys).acquire()).release();
  const held = await join(url).locks.acquire('taken-6');
  const count = await counting(client);
  const rounds = 20;
  for (let round = 0; round < rounds; round += 1) expect(await locks.multiLock(keys).tryAcquire()).toBeNull();
  // All of them, the one that is not free, and the release of the others.
  expect(await count()).toBe(3 * rounds);
  await held.release();
});

test('a renewal takes one statement', async () => {
  const client = await connect(url);
  const { locks } = join(url);
  const lease = await locks.acquire('renewed', { renew: false });
  const count = await counting(client);
  for (let round = 0; round < 20; round += 1) await lease.renew();
  expect(await count()).toBe(20);
  await lease.release();
});

test('the paths without contention stay on the page of their row', async () => {
  const client = await connect(url);
  const { locks, knex } = join(url);
  const updates = async (): Promise<{ readonly all: number; readonly hot: number }> => {
    const { rows } = await client.query<{ all: number; hot: number }>(
      `SELECT n_tup_upd::integer AS all, n_tup_hot_upd::integer AS hot FROM pg_stat_user_tables WHERE relname = 'locks'`,
    );
    return rows[0]!;
  };
  await (await locks.acquire('hot')).release();
  const before = await updates();
  const pairs = 300;
  for (let pair = 0; pair < pairs; pair += 1) await (await locks.acquire('hot')).release();
  // A connection that ends reports what it did.
  await knex.destroy();
  const after = await eventually('the statistics', async () => {
    const now = await updates();
    return now.all - before.all >= 2 * pairs && now;
  });
  expect((after.hot - before.hot) / (after.all - before.all)).toBeGreaterThan(0.9);
});

test('with 100 waiters in two processes an acquisition takes at most 4 statements, and the server has nothing to log', async () => {
  const client = await connect(url);
  const contenders = [await startContender(), await startContender()];
  const logged = (await server.log()).length;
  const task = { url, key: 'contended', workers: 50, rounds: 5, ttl: 30_000 };
  const count = await counting(client);
  const tokens = await Promise.all(contenders.map((each) => each.contend(task)));
  const acquisitions = 2 * task.workers * task.rounds;
  for (const own of tokens) expect(own).toEqual(own.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(tokens.flat()).size).toBe(acquisitions);
  const each = (await count()) / acquisitions;
  console.log(`statements per acquisition, 100 waiters, 2 processes: ${each.toFixed(2)}`);
  expect(each).toBeLessThanOrEqual(4);
  const log = (await server.log()).slice(logged);
  expect(log.split('\n').filter((line) => /\b(?:ERROR|FATAL|PANIC|WARNING|DETAIL):/.test(line))).toEqual([]);
});

test('nothing that is refused, in whatever way, is logged', async () => {
  const { locks, provider } = join(url);
  const lease = await locks.acquire('refused', { mode: 'shared', permits: 2 });
  expect(await locks.tryAcquire('refused')).toBeNull();
  const claim = { key: 'refused', owner: lease.owner, ttl: 1_000, mode: 'exclusive' } as const;
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  await lease.release();
  expect(await server.log()).not.toContain('ERROR:');
});
