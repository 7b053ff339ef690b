import { eventually } from '@locks/test-servers';
import Libsql from 'libsql';
import { createPool } from 'mysql2';
import type { Pool } from 'pg';
import postgresJs from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, fence, migrateTables, sweep } from '../../src/index.ts';
import type { AnySqlClient, AnySqlTransaction, ExecutedValue } from '../../src/index.ts';
import { openExecutor } from '../servers/executor.ts';
import { databases } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import { openPool } from '../support/open-pool.ts';

const [postgres, mariadb, sqlite] = databases as readonly [Database, Database, Database];

/** A client of the caller's, as it has it. */
interface Subject {
  readonly client: AnySqlClient;
  /** How many listeners there are at the client. */
  listeners?(): number;
  /** Within a transaction, which ends as `work` does. */
  transaction(work: (trx: AnySqlTransaction) => Promise<void>): Promise<void>;
  /** A connection without a transaction. */
  outside(work: (connection: AnySqlTransaction) => Promise<void>): Promise<void>;
}

const countOf = (emitter: NodeJS.EventEmitter): number =>
  emitter.eventNames().reduce((count, name) => count + emitter.listenerCount(name), 0);

interface Idle {
  readonly client: { readonly connection: NodeJS.EventEmitter };
}

const idleIn = (pool: Pool): readonly Idle[] => (pool as unknown as { readonly _idle: readonly Idle[] })._idle;
/** Each connection has one of pg's own. */
const foreignListeners = ({ client }: Idle): number => client.connection.listenerCount('readyForQuery') - 1;

type Work = (connection: AnySqlTransaction) => Promise<void>;

/** Connections of a pool, within a transaction and without one. None goes back to the pool. */
function ways<Connection>(
  take: () => Promise<Connection>,
  run: (connection: Connection, text: string) => Promise<unknown>,
  end: (connection: Connection) => void,
  shown: (connection: Connection) => AnySqlTransaction,
): Pick<Subject, 'transaction' | 'outside'> {
  const between = (first: string, last: string) => async (work: Work) => {
    const connection = await take();
    try {
      await run(connection, first);
      await work(shown(connection));
      await run(connection, last);
    } finally {
      end(connection);
    }
  };
  return { transaction: between('BEGIN', 'COMMIT'), outside: between('SELECT 1', 'SELECT 1') };
}

async function openPg(): Promise<Subject> {
  const pool = openPool({ connectionString: await postgres.create(), max: 3 });
  onTestFinished(() => pool.end());
  return {
    client: pool,
    listeners: () => countOf(pool) + Math.max(0, ...idleIn(pool).map(foreignListeners)),
    ...ways(
      () => pool.connect(),
      (connection, text) => connection.query(text),
      (connection) => connection.release(true),
      (connection) => connection,
    ),
  };
}

async function openPostgresJs(): Promise<Subject> {
  const sql = postgresJs(await postgres.create(), { max: 3, onnotice() {} });
  onTestFinished(() => sql.end());
  return {
    client: sql,
    async transaction(work) {
      await sql.begin(work);
    },
    async outside(work) {
      const reserved = await sql.reserve();
      await work(reserved as never).finally(() => reserved.release());
    },
  };
}

async function openOfExecutor(): Promise<Subject> {
  const { executor, end } = openExecutor(await postgres.create(), 3);
  onTestFinished(end);
  return {
    client: executor,
    ...ways(
      () => executor.connect(),
      (connection, text) => connection.query(text, []),
      (connection) => connection.release(true),
      (connection) => ({
        database: 'postgres',
        query: (text: string, values: readonly ExecutedValue[]) => connection.query(text, values),
      }),
    ),
  };
}

/** A pool of mysql2 with promises, or that with callbacks which is behind it. */
async function openMysql2(promises: boolean): Promise<Subject> {
  const inner = createPool({ uri: await mariadb.create(), connectionLimit: 3 });
  const pool = inner.promise();
  onTestFinished(() => pool.end());
  const client = promises ? pool : inner;
  return {
    client,
    listeners: () => countOf(client as never),
    ...ways(
      () => pool.getConnection(),
      (connection, text) => connection.query(text),
      (connection) => connection.destroy(),
      (connection) => (promises ? connection : (connection as unknown as { readonly connection: never }).connection),
    ),
  };
}

async function openLibsql(): Promise<Subject> {
  const database = new Libsql((await sqlite.create()).slice('sqlite:'.length));
  onTestFinished(() => void database.close());
  return {
    client: database,
    async transaction(work) {
      database.exec('BEGIN IMMEDIATE');
      try {
        await work(database);
      } finally {
        database.exec('ROLLBACK');
      }
    },
    outside: (work) => work(database),
  };
}

const subjects: readonly (readonly [string, () => Promise<Subject>])[] = [
  ['a Pool of pg', openPg],
  ['a sql of postgres', openPostgresJs],
  ['an executor', openOfExecutor],
  ['a pool of mysql2', () => openMysql2(false)],
  ['a pool of mysql2/promise', () => openMysql2(true)],
  ['a database of libsql', openLibsql],
];

describe.each(subjects)('%s', (_name, open) => {
  test('has locks, is waited through, and stays as it was', async () => {
    const { client, listeners, transaction } = await open();
    const before = listeners?.();
    await migrateTables(client);
    // Done already.
    await migrateTables(client);
    const { provider, locks } = locksOver(client);
    const first = await locks.acquire('job');
    const second = locks.acquire('job');
    await eventually('a waiter', async () => (await locks.inspect('job')).waiters === 1);
    await first.release();
    expect((await second).token).toBeGreaterThan(first.token);
    await locks.close();
    await provider.close();
    expect(await sweep(client, { tokenRetention: 60_000 })).toBe(0);
    expect(listeners?.()).toBe(before);
    // It still works.
    await transaction(async () => {});
  });

  test('guards by its own transactions, and refuses what is in none', async () => {
    const { client, transaction, outside } = await open();
    await migrateTables(client);
    await transaction((trx) => fence(trx, 'account', 7n));
    await transaction(async (trx) => {
      await fence(trx, 'account', 8n);
      await expect(fence(trx, 'account', 7n)).rejects.toMatchObject({ code: 'LOCK_STALE' });
    });
    await expect(fence(client as never, 'account', 9n)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    if (client instanceof Libsql) return;
    await outside(async (connection) => {
      await expect(fence(connection, 'account', 9n)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    });
    // Nothing was raised.
    await transaction((trx) => fence(trx, 'account', 8n));
  });
});

test('a database in the middle of a transaction is refused', async () => {
  const database = new Libsql((await sqlite.create()).slice('sqlite:'.length));
  onTestFinished(() => void database.close());
  database.exec('BEGIN');
  expect(() => createSqlProvider(database)).toThrow(/was given a transaction/);
});
