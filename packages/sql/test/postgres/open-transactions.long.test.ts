import knexOf from 'knex';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { expectFree, expectWholePool, join } from '../servers/parties.ts';
import type { Party } from '../servers/parties.ts';
import { serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import { borrow } from '../support/borrow.ts';

const server = await serverOfFile();

/** What an application does that forgets to end its transaction. */
async function leaveOpen({ knex }: Pick<Party, 'knex'>, ...statements: readonly string[]): Promise<void> {
  const { connections, giveBack } = await borrow(knex);
  for (const statement of statements) await connections[0]!.query(statement).catch(() => {});
  await giveBack();
}

const refused = misconfigured('transaction');

describe.each([
  ['open', ['BEGIN']],
  ['open, and has read', ['BEGIN', 'SELECT count(*) FROM locks']],
  ['open and failed', ['BEGIN', 'SELECT 1 / 0']],
])('a pooled connection whose transaction is %s', (_name, statements) => {
  test.each(['exclusive', 'shared'] as const)('is replaced, and a claim that is %s gets another one', async (mode) => {
    const url = await ownTables(server);
    const party = join(url, { pool: { min: 0, max: 1 } });
    for (const checked of [false, true]) {
      if (checked) await (await party.locks.acquire('job', { mode })).release();
      await leaveOpen(party, ...statements);
      const lease = await party.locks.tryAcquire('job', { mode });
      // As others see it: committed.
      expect((await join(url).locks.inspect('job')).holders).toMatchObject([{ owner: lease?.owner }]);
      await lease?.release();
    }
    await expectWholePool(party, 1);
  });

  test('is replaced where calls have transactions of their own', async () => {
    const url = await ownTables(server);
    const party = join(url, { pool: { min: 0, max: 1 } });
    await leaveOpen(party, "SET default_transaction_isolation = 'serializable'");
    await (await party.locks.acquire('job')).release();
    await leaveOpen(party, ...statements, 'CREATE TABLE forgotten (id integer)');
    expect(await party.locks.withLock('job', () => 7)).toBe(7);
    // Neither committed by us.
    const { rows } = await party.knex.raw<{ readonly rows: readonly unknown[] }>(
      "SELECT to_regclass('forgotten') AS forgotten",
    );
    expect(rows).toEqual([{ forgotten: null }]);
  });
});

test('a hold is renewed and released over another connection when one is in a transaction that is open', async () => {
  const url = await ownTables(server);
  const party = join(url, { pool: { min: 0, max: 1 } });
  const claim = { key: 'job', owner: 'me/1', ttl: 20_000, mode: 'exclusive' } as const;
  await party.provider.tryAcquire(claim);
  for (const call of ['renew', 'release', 'inspect'] as const) {
    await leaveOpen(party, 'BEGIN');
    const answer = await (call === 'inspect' ? party.provider.inspect('job') : party.provider[call](claim));
    expect(answer).toEqual({ renew: {}, release: true, inspect: { key: 'job', holders: [], waiters: 0 } }[call]);
  }
});

test('a call goes through when all connections of the pool are in open transactions', async () => {
  const url = await ownTables(server);
  const party = join(url, { pool: { min: 0, max: 4 } });
  const { connections, giveBack } = await borrow(party.knex, 4);
  for (const connection of connections) await connection.query('BEGIN');
  await giveBack();
  expect(await party.locks.withLock('job', () => 7)).toBe(7);
});

test('a pool whose connections are all made in a transaction is refused', async () => {
  const url = await ownTables(server);
  let made = 0;
  const afterCreate = (
    connection: { query(text: string, done: (error: unknown) => void): void },
    done: (error: unknown, connection: unknown) => void,
  ): void => {
    made += 1;
    connection.query('BEGIN', (error) => done(error, connection));
  };
  const party = join(url, { pool: { min: 0, max: 2, afterCreate } });
  await expect(party.locks.tryAcquire('job')).rejects.toMatchObject(refused);
  expect(made).toBe(3);
});

test('a BEGIN that was under way when its connection was given back leaves the call unknown, and nothing behind', async () => {
  const url = await ownTables(server);
  const party = join(url, { pool: { min: 0, max: 1 } });
  await (await party.locks.acquire('job')).release();
  const { connections, giveBack } = await borrow(party.knex);
  const begun = connections[0]!.query('BEGIN');
  await giveBack();
  await expect(party.locks.tryAcquire('job')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { message: refused.message },
  });
  await begun;
  await expectFree(join(url), 'job');
});

test('so it is in a pool of pg that knex was given', async () => {
  const url = await ownTables(server);
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  const knex = knexOf({ client: 'pg', connectionPool: pool });
  onTestFinished(() => pool.end());
  const { locks } = locksOver(knex, { listen: false }, { ttl: 5_000 });
  const client = await pool.connect();
  await client.query('BEGIN');
  client.release();
  const lease = await locks.acquire('job', { wait: 5_000 });
  expect(await lease.release()).toBe(true);
});

test('connections that several providers share are not listened to by each of them', async () => {
  const url = await ownTables(server);
  const party = join(url, { pool: { min: 0, max: 1 } });
  for (let index = 0; index < 20; index += 1) await createSqlProvider(party.knex, { listen: false }).inspect('job');
  // Until the last of them has given it back.
  await (await borrow(party.knex)).giveBack();
  const { connections, giveBack } = await borrow<{ readonly connection: NodeJS.EventEmitter }>(party.knex);
  expect(connections[0]!.connection.listenerCount('readyForQuery')).toBeLessThan(4);
  await giveBack();
});
