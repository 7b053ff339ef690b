import { eventually } from '@locks/test-servers';
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { testStatements } from '../servers/statements.ts';
import { rowsOf } from '../support/databases.ts';
import { connect, serverOfFile } from './support/database.ts';
import { join } from '../servers/parties.ts';

const server = await serverOfFile('shared_preload_libraries=pg_stat_statements');
const { url } = server;

/** Counts what clients send, from now on. */
async function counting(client: Client): Promise<() => Promise<number>> {
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await client.query('SELECT pg_stat_statements_reset()');
  return async () => {
    const [row] = await rowsOf(
      client.query(`SELECT sum(calls)::integer AS calls FROM pg_stat_statements
        WHERE query NOT LIKE '%pg_stat_%' AND query NOT LIKE '%pg_is_in_recovery%' AND query NOT LIKE '%to_regclass%' AND query NOT LIKE 'LISTEN%' AND query !~* 'select version'`),
    );
    return Number(row?.['calls'] ?? 0);
  };
}

testStatements(server, {
  count: async () => await counting(await connect(url)),
  most: 4,
  looks: 0,
  wrong: /\b(?:ERROR|FATAL|PANIC|WARNING|DETAIL):/,
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

test('nothing that is refused, in whatever way, is logged', async () => {
  const { locks, provider } = join(url);
  const lease = await locks.acquire('refused', { mode: 'shared', permits: 2 });
  expect(await locks.tryAcquire('refused')).toBeNull();
  const claim = { key: 'refused', owner: lease.owner, ttl: 1_000, mode: 'exclusive' } as const;
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  await lease.release();
  expect(await server.log()).not.toContain('ERROR:');
});
