import { createLocks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import Libsql from 'libsql';
import { createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import { Pool } from 'pg';
import postgresJs from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, fence, migrateTables, sweep } from '../../src/index.ts';
import type { AnySqlClient, AnySqlTransaction, ExecutedValue } from '../../src/index.ts';
import { openExecutor } from '../servers/executor.ts';
import { databases } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';

const [postgres, mariadb, sqlite] = databases as readonly [Database, Database, Database];

/** A client of the caller's, as it has it. */
interface Subject {
  readonly client: AnySqlClient;
  /** How many listeners there are at the client. */
  listeners(): number;
  /** Within a transaction, which ends as `work` does. */
  transaction(work: (trx: AnySqlTransaction) => Promise<void>): Promise<void>;
  /** A connection without a transaction. */
  outside(work: (connection: AnySqlTransaction) => Promise<void>): Promise<void>;
  /** That it still works. */
  query(): Promise<unknown>;
}

const countOf = (emitter: NodeJS.EventEmitter): number =>
  emitter.eventNames().reduce((count, name) => count + emitter.listenerCount(name), 0);

interface Idle {
  readonly client: { readonly connection: NodeJS.EventEmitter };
}

const idleIn = (pool: Pool): readonly Idle[] => (pool as unknown as { readonly _idle: readonly Idle[] })._idle;
/** Each connection has one of pg's own. */
const foreignListeners = ({ client }: Idle): number => client.connection.listenerCount('readyForQuery') - 1;

async function openPg(): Promise<Subject> {
  const pool = new Pool({ connectionString: await postgres.create(), max: 3 });
  onTestFinished(() => pool.end());
  const withConnection = async (begin: string, work: (connection: AnySqlTransaction) => Promise<void>, end: string) => {
    const connection = await pool.connect();
    try {
      await connection.query(begin);
      await work(connection);
      await connection.query(end);
    } finally {
      connection.release(true);
    }
  };
  return {
    client: pool,
    listeners: () => countOf(pool) + Math.max(0, ...idleIn(pool).map(foreignListeners)),
    transaction: (work) => withConnection('BEGIN', work, 'COMMIT'),
    outside: (work) => withConnection('SELECT 1', work, 'SELECT 1'),
    query: () => pool.query('SELECT 1'),
  };
}

async function openPostgresJs(): Promise<Subject> {
  const sql = postgresJs(await postgres.create(), { max: 3, onnotice() {} });
  onTestFinished(() => sql.end());
  return {
    client: sql,
    listeners: () => 0,
    async transaction(work) {
      await sql.begin(work);
    },
    async outside(work) {
      const reserved = await sql.reserve();
      await work(reserved as never).finally(() => reserved.release());
    },
    query: () => sql.unsafe('SELECT 1'),
  };
}

async function openOfExecutor(): Promise<Subject> {
  const { executor, end } = openExecutor(await postgres.create(), 3);
  onTestFinished(end);
  const withConnection = async (
    begin: string,
    work: (connection: AnySqlTransaction) => Promise<void>,
    last: string,
  ) => {
    const connection = await executor.connect();
    try {
      await connection.query(begin, []);
      await work({
        database: 'postgres',
        query: (text: string, values: readonly ExecutedValue[]) => connection.query(text, values),
      });
      await connection.query(last, []);
    } finally {
      connection.release(true);
    }
  };
  return {
    client: executor,
    listeners: () => 0,
    transaction: (work) => withConnection('BEGIN', work, 'COMMIT'),
    outside: (work) => withConnection('SELECT 1', work, 'SELECT 1'),
    async query() {
      const connection = await executor.connect();
      await connection.query('SELECT $1::integer', ['1']);
      connection.release(false);
    },
  };
}

async function openMysql2(): Promise<Subject> {
  const pool = createPool({ uri: await mariadb.create(), connectionLimit: 3 });
  onTestFinished(() => new Promise<void>((resolve) => pool.end(() => resolve())));
  const { transaction, outside } = connectionsOf(pool.promise());
  return {
    client: pool,
    listeners: () => countOf(pool),
    // The connection with callbacks, behind that with promises.
    transaction: (work) => transaction((trx) => work((trx as unknown as { readonly connection: never }).connection)),
    outside,
    query: () => pool.promise().query('SELECT 1'),
  };
}

async function openMysql2Promise(): Promise<Subject> {
  const pool = createPromisePool({ uri: await mariadb.create(), connectionLimit: 3 });
  onTestFinished(() => pool.end());
  return {
    client: pool,
    listeners: () => countOf(pool as never),
    ...connectionsOf(pool),
    query: () => pool.query('SELECT 1'),
  };
}

function connectionsOf(pool: ReturnType<typeof createPromisePool>): Pick<Subject, 'transaction' | 'outside'> {
  return {
    async transaction(work) {
      const connection = await pool.getConnection();
      await connection.beginTransaction();
      try {
        await work(connection);
        await connection.commit();
      } finally {
        await connection.rollback();
        connection.release();
      }
    },
    async outside(work) {
      const connection = await pool.getConnection();
      await work(connection).finally(() => connection.release());
    },
  };
}

async function openLibsql(): Promise<Subject> {
  const database = new Libsql((await sqlite.create()).slice('sqlite:'.length));
  onTestFinished(() => void database.close());
  return {
    client: database,
    listeners: () => 0,
    async transaction(work) {
      database.exec('BEGIN IMMEDIATE');
      try {
        await work(database);
      } finally {
        database.exec('ROLLBACK');
      }
    },
    outside: (work) => work(database),
    query: async () => database.exec('SELECT 1'),
  };
}

const subjects: readonly (readonly [string, () => Promise<Subject>])[] = [
  ['a Pool of pg', openPg],
  ['a sql of postgres', openPostgresJs],
  ['an executor', openOfExecutor],
  ['a pool of mysql2', openMysql2],
  ['a pool of mysql2/promise', openMysql2Promise],
  ['a database of libsql', openLibsql],
];

describe.each(subjects)('%s', (_name, open) => {
  test('has locks, is waited through, and stays as it was', async () => {
    const { client, listeners, query } = await open();
    const before = listeners();
    await migrateTables(client);
    // Done already.
    await migrateTables(client);
    const provider = createSqlProvider(client);
    const locks = createLocks(provider);
    const first = await locks.acquire('job');
    const second = locks.acquire('job');
    await eventually('a waiter', async () => (await locks.inspect('job')).waiters === 1);
    await first.release();
    expect((await second).token).toBeGreaterThan(first.token);
    await locks.close();
    await provider.close();
    expect(await sweep(client, { tokenRetention: 60_000 })).toBe(0);
    expect(listeners()).toBe(before);
    await query();
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
