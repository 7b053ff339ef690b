import { misconfigured } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';
import { executorClient, isExecutor, isExecutorTransaction, transactionOf } from '../postgres/clients/executor.ts';
import type { PostgresExecutor, PostgresTransaction } from '../postgres/clients/executor.ts';
import { isKnex, knexClient } from './knex.ts';
import type { KnexInstance } from './knex.ts';
import { mysql2Client, mysql2ConnectionOf, mysql2PoolOf } from '../mysql/clients/mysql2.ts';
import type {
  Mysql2Connection,
  Mysql2Pool,
  Mysql2PromiseConnection,
  Mysql2PromisePool,
} from '../mysql/clients/mysql2.ts';
import { isPgClient, isPgPool, pgClient } from '../postgres/clients/pg.ts';
import type { PgClient, PgPool } from '../postgres/clients/pg.ts';
import {
  isPostgresJs,
  isPostgresJsTransaction,
  postgresJsClient,
  transactionOfPostgresJs,
} from '../postgres/clients/postgres-js/client.ts';
import type {
  PostgresJsReserved,
  PostgresJsSql,
  PostgresJsTransaction,
} from '../postgres/clients/postgres-js/client.ts';
import { checkedSqliteClient, isSqliteDatabase, sqliteClient } from '../sqlite/clients/sqlite.ts';
import type { SqliteDatabase } from '../sqlite/clients/sqlite.ts';

/** The clients of applications that this package takes. */
export type AnySqlClient =
  | KnexInstance
  | PgPool
  | PostgresJsSql
  | Mysql2Pool
  | Mysql2PromisePool
  | SqliteDatabase
  | PostgresExecutor;

/** A transaction of the caller, or the connection that it is open on. */
export type AnySqlTransaction =
  | KnexInstance
  | PgClient
  | PostgresJsTransaction
  | PostgresJsReserved
  | Mysql2Connection
  | Mysql2PromiseConnection
  | SqliteDatabase
  | PostgresTransaction;

const taken =
  'a knex instance, a Pool of pg, a sql of postgres, a pool of mysql2, a database of better-sqlite3, libsql or node:sqlite, or a PostgresExecutor';

/**
 * Adapts `given`, recognised by its methods.
 * @throws `LOCK_MISCONFIGURED` that names what was passed and what is accepted.
 */
export function findClient(given: AnySqlClient): SqlClient {
  if (isKnex(given)) return knexClient(given);
  if (isPgPool(given)) return pgClient(given);
  if (isPostgresJs(given)) return postgresJsClient(given);
  if (isExecutor(given)) return executorClient(given);
  const pool = mysql2PoolOf(given);
  if (pool !== undefined) return mysql2Client(pool);
  if (isSqliteDatabase(given)) return checkedSqliteClient(given);
  throw misconfigured('@locks/sql', `it needs ${taken}, not ${whatIs(given)}`);
}

/** The transaction that `given` is. `undefined`: none. */
export function findTransaction(given: AnySqlTransaction): SqlClient | undefined {
  if (isKnex(given)) {
    const open = given.isTransaction === true && given.isCompleted?.() !== true;
    return open ? knexClient(given) : undefined;
  }
  const connection = mysql2ConnectionOf(given);
  if (connection !== undefined) return oneConnection('mysql', connection);
  if (isPgPool(given)) return undefined;
  if (isPgClient(given)) return oneConnection('postgres', given);
  if (isPostgresJsTransaction(given)) return oneConnection('postgres', transactionOfPostgresJs(given));
  if (isExecutorTransaction(given)) return oneConnection('postgres', transactionOf(given));
  const database = isSqliteDatabase(given) ? sqliteClient(given) : undefined;
  return database?.isTransaction === true ? database : undefined;
}

/** The one connection of the caller's transaction. */
function oneConnection(database: SqlClient['database'], connection: object): SqlClient {
  return {
    database,
    isTransaction: true,
    max: 1,
    ended: false,
    acquire: async () => connection,
    release() {},
    waiting: () => 0,
    discard() {},
  };
}

/** Whether `given` is an accepted client, or a connection of one. */
export function isClient(given: unknown): boolean {
  const kinds = [isKnex, isPgPool, isPostgresJs, isExecutor, mysql2PoolOf, isSqliteDatabase];
  return kinds.some((kind) => Boolean(kind(given)));
}

/** Describes what was passed, and what to pass instead. */
function whatIs(given: unknown): string {
  if (typeof given === 'string') return 'a string; pass it to openLocks';
  if (given === null || (typeof given !== 'object' && typeof given !== 'function')) return String(given);
  const has = (name: string): boolean => (given as Readonly<Record<string, unknown>>)[name] !== undefined;
  if (isPgClient(given)) return 'one connection of pg; pass the Pool';
  if (mysql2ConnectionOf(given) !== undefined) return 'one connection of mysql2; pass the pool';
  if (has('getConnection') && has('add')) return 'a PoolCluster of mysql2; pass one pool of the primary';
  if (has('getConnection') && has('config')) return 'a pool of mysql; pass one of mysql2';
  if (isPostgresJsTransaction(given))
    return `a ${has('release') ? 'reserved connection' : 'transaction'} of postgres; pass the sql`;
  if (has('unsafe') && has('begin'))
    return 'a sql of a version of postgres that is too old; run: npm install postgres@latest';
  if (has('$client')) return 'a database of Drizzle; pass its $client';
  if (has('$queryRawUnsafe')) return 'a client of Prisma; pass the pool of its driver adapter';
  if (has('driver') && has('createQueryRunner'))
    return 'a DataSource of TypeORM; pass dataSource.driver.master, with MySQL dataSource.driver.pool';
  if (has('selectFrom') && has('getExecutor')) return 'a database of Kysely; pass the pool of its dialect';
  return nameOf(given);
}

/** The kind of the passed value. */
export function nameOf(given: unknown): string {
  if (given === null || (typeof given !== 'object' && typeof given !== 'function')) return `a ${typeof given}`;
  const { name } = given.constructor ?? {};
  return name === undefined || name === 'Object' ? 'another object' : `an object of class ${name}`;
}
