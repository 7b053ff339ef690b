import { describe, expect, onTestFinished, test } from 'vitest';
import { contendInTurn, startContender } from '../servers/contenders.ts';
import { withClient, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { blockRow, expectWholePool, join, untilBlocked } from '../servers/parties.ts';
import type { Party } from '../servers/parties.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { borrow } from '../support/borrow.ts';

const server = await serverOfFile();

/** A database with tables, whose transactions are by default as `setting` says. */
async function databaseWith(setting: string): Promise<string> {
  const url = await ownTables(server);
  await withClient(url, (client) => client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`));
  return url;
}

/** Calls `work` with each connection of the pool, as an application could that shares it. */
async function onEachConnection({ knex }: Party, size: number, statement: string): Promise<void> {
  const { connections, giveBack } = await borrow(knex, size);
  for (const connection of connections) await connection.query(statement);
  await giveBack();
}

describe.each([
  "default_transaction_isolation = 'repeatable read'",
  "default_transaction_isolation = 'serializable'",
  "synchronous_commit = 'off'",
])('where %s', (setting) => {
  test('every call does what it does elsewhere, also after a wait for the row', async () => {
    const url = await databaseWith(setting);
    const { locks, provider } = join(url);
    const lease = await locks.acquire('job');
    await lease.renew();
    expect(await locks.tryAcquire('job')).toBeNull();
    expect((await locks.inspect('job')).holders).toMatchObject([{ token: lease.token }]);
    expect(await lease.release()).toBe(true);
    // In the default isolation of this database the wait would end in an error.
    const free = await blockRow(url, 'job');
    const claim = { key: 'job', owner: 'second/1', ttl: 5_000, mode: 'exclusive' } as const;
    const answer = provider.tryAcquire(claim);
    await untilBlocked(url);
    await free();
    expect((await answer).granted).toBe(true);
    await provider.release(claim);
  });

  test('two processes in contention are served, one at a time', async () => {
    const url = await databaseWith(setting);
    const contenders = [await startContender(), await startContender()];
    await contendInTurn(contenders, { url, key: 'hot', workers: 8, rounds: 5, ttl: 30_000 });
  });
});

test('connections that are read-only by default are refused: to override that is not for us to decide', async () => {
  const url = await databaseWith('default_transaction_read_only = on');
  const { locks, provider } = join(url);
  const refused = misconfigured('default_transaction_read_only');
  await expect(locks.acquire('job')).rejects.toMatchObject(refused);
  await expect(provider.inspect('job')).rejects.toMatchObject(refused);
  await withClient(url, async (client) => {
    expect((await client.query('SELECT FROM locks')).rowCount).toBe(0);
  });
});

test('what a connection was set to by its owner is what it is set to afterwards', async () => {
  const url = await databaseWith("default_transaction_isolation = 'serializable'");
  const party = join(url, { pool: { min: 0, max: 1 } });
  await onEachConnection(
    party,
    1,
    "SET lock_timeout = '7s'; SET statement_timeout = '9s'; SET search_path = pg_catalog, public",
  );
  const lease = await party.locks.acquire('job');
  const waiting = party.locks.withLock('job', () => {});
  await lease.renew();
  await lease.release();
  await waiting;
  const settings = [
    'lock_timeout',
    'statement_timeout',
    'search_path',
    'transaction_isolation',
    'idle_in_transaction_session_timeout',
  ];
  const { rows } = await party.knex.raw<{ readonly rows: readonly unknown[] }>(
    `SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
  );
  expect(rows).toEqual([
    {
      lock_timeout: '7s',
      statement_timeout: '9s',
      search_path: 'pg_catalog, public',
      transaction_isolation: 'serializable',
      idle_in_transaction_session_timeout: '0',
    },
  ]);
});

describe('what was prepared on a connection', () => {
  test.each(['DISCARD ALL', 'DEALLOCATE ALL'])('is gone after %s: it goes on without', async (statement) => {
    const url = await databaseWith("application_name = 'any'");
    const party = join(url, { pool: { min: 0, max: 2 } });
    for (let round = 0; round < 3; round += 1) {
      const lease = await party.locks.acquire('job');
      await lease.renew();
      await onEachConnection(party, 2, statement);
      await lease.renew();
      expect(await lease.release()).toBe(true);
    }
    await expectWholePool(party, 2);
  });

  test('no longer fits the tables: it goes on without', async () => {
    const url = await databaseWith("application_name = 'any'");
    const { locks } = join(url, { pool: { min: 0, max: 1 } });
    await (await locks.acquire('job')).release();
    await withClient(url, (client) =>
      client.query('ALTER TABLE locks ADD COLUMN more text; ALTER TABLE locks DROP COLUMN more'),
    );
    const lease = await locks.acquire('job');
    expect(await lease.release()).toBe(true);
  });
});

describe('calls run in connections of their own', () => {
  test('a transaction of the caller that is undone does not undo them, and they do not wait for it', async () => {
    const url = await databaseWith("application_name = 'any'");
    const { locks, knex } = join(url);
    const transaction = await knex.transaction();
    onTestFinished(async () => {
      await transaction.rollback();
    });
    await transaction.raw('CREATE TABLE business (id integer)');
    const lease = await locks.acquire('job');
    await transaction.rollback();
    expect((await locks.inspect('job')).holders).toHaveLength(1);
    expect(await lease.release()).toBe(true);
  });
});
