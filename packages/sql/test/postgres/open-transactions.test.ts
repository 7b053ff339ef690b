import { createLocks } from '@locks/core';
import knexOf from 'knex';
import { Pool } from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { borrow, expectFree, expectWholePool } from '../servers/parties.ts';
import type { Party } from '../servers/parties.ts';
import { createTables, ownDatabase, startServer } from './support/database.ts';
import { join } from './support/postgres.ts';

const server = await startServer();
afterAll(() => server.stop());

interface Lender {
  acquireConnection(): Promise<{ query(text: string): Promise<unknown> }>;
  releaseConnection(connection: unknown): Promise<void>;
}

/** What an application does that forgets to end its transaction. */
async function leaveOpen({ knex }: Pick<Party, 'knex'>, ...statements: readonly string[]): Promise<void> {
  const client = knex.client as Lender;
  const connection = await client.acquireConnection();
  for (const statement of statements) await connection.query(statement).catch(() => {});
  await client.releaseConnection(connection);
}

const refused = { code: 'LOCK_MISCONFIGURED', message: expect.stringContaining('transaction') as unknown };

describe.each([
  ['open', ['BEGIN']],
  ['open, and has read', ['BEGIN', 'SELECT count(*) FROM locks']],
  ['open and failed', ['BEGIN', 'SELECT 1 / 0']],
])('a pooled connection whose transaction is %s', (_name, statements) => {
  test.each(['exclusive', 'shared'] as const)('is refused to a claim that is %s, and replaced', async (mode) => {
    const url = await ownDatabase(server);
    await createTables(url);
    const party = join(url, { pool: { min: 0, max: 1 } });
    for (const greeted of [false, true]) {
      if (greeted) await (await party.locks.acquire('job', { mode })).release();
      await leaveOpen(party, ...statements);
      await expect(party.locks.tryAcquire('job', { mode })).rejects.toMatchObject(refused);
      await expectFree(join(url), 'job');
      const lease = await party.locks.tryAcquire('job', { mode });
      expect(lease?.held).toBe(true);
      await lease?.release();
    }
    await expectWholePool(party, 1);
  });

  test('is refused where calls have transactions of their own', async () => {
    const url = await ownDatabase(server);
    await createTables(url);
    const party = join(url, { pool: { min: 0, max: 1 } });
    await leaveOpen(party, "SET default_transaction_isolation = 'serializable'");
    await (await party.locks.acquire('job')).release();
    await leaveOpen(party, ...statements, 'CREATE TABLE forgotten (id integer)');
    await expect(party.locks.tryAcquire('job')).rejects.toMatchObject(refused);
    // Neither committed by us.
    const { rows } = await party.knex.raw<{ readonly rows: readonly unknown[] }>(
      "SELECT to_regclass('forgotten') AS forgotten",
    );
    expect(rows).toEqual([{ forgotten: null }]);
  });
});

test('a hold is neither renewed nor released in a transaction that is open: both say so', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const party = join(url, { pool: { min: 0, max: 1 } });
  const claim = { key: 'job', owner: 'me/1', ttl: 20_000, mode: 'exclusive' } as const;
  await party.provider.tryAcquire(claim);
  for (const call of ['renew', 'release', 'inspect'] as const) {
    await leaveOpen(party, 'BEGIN');
    await expect(
      call === 'inspect' ? party.provider.inspect('job') : party.provider[call](claim),
    ).rejects.toMatchObject(refused);
  }
  expect(await party.provider.release(claim)).toBe(true);
});

test('a BEGIN that was under way when its connection was given back is noticed', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const party = join(url, { pool: { min: 0, max: 1 } });
  await (await party.locks.acquire('job')).release();
  const client = party.knex.client as Lender;
  const connection = await client.acquireConnection();
  const begun = connection.query('BEGIN');
  await client.releaseConnection(connection);
  await expect(party.locks.tryAcquire('job')).rejects.toMatchObject(refused);
  await begun;
  await expectFree(join(url), 'job');
});

test('so it is in a pool of pg that knex was given', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  const knex = knexOf({ client: 'pg', connectionPool: pool });
  const provider = createSqlProvider(knex, { listen: false });
  const locks = createLocks(provider, { ttl: 5_000 });
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
    await pool.end();
  });
  const client = await pool.connect();
  await client.query('BEGIN');
  client.release();
  await expect(locks.tryAcquire('job')).rejects.toMatchObject(refused);
  const lease = await locks.acquire('job', { wait: 5_000 });
  expect(await lease.release()).toBe(true);
});

test('connections that several providers share are not listened to by each of them', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const party = join(url, { pool: { min: 0, max: 1 } });
  for (let index = 0; index < 20; index += 1) await createSqlProvider(party.knex, { listen: false }).inspect('job');
  const back = await borrow(party, 1);
  await back();
  const connection = (await (party.knex.client as Lender).acquireConnection()) as unknown as {
    readonly connection: NodeJS.EventEmitter;
  };
  expect(connection.connection.listenerCount('readyForQuery')).toBeLessThan(4);
  await (party.knex.client as Lender).releaseConnection(connection);
});
