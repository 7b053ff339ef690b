import { abandon, isOver } from '../../connection/cancel.ts';
import type { PgConnection, PgSession } from '../../connection/connection.ts';
import { importDriver } from '../../../dialect/pools/import-driver.ts';
import type { SqlClient } from '../../../dialect/pools/client.ts';
import { ConnectionPool } from '../../../dialect/pools/connection-pool.ts';
import { openConnection, send } from './connection.ts';
import type { PostgresJsOptions, PostgresJsSender } from './connection.ts';

/** The members that identify an instance of `postgres`. */
export interface PostgresJsSql {
  unsafe(text: string): unknown;
  begin(work: never): unknown;
  readonly options: object;
}

/** A transaction of `postgres`, as `sql.begin` passes it. */
export interface PostgresJsTransaction {
  unsafe(text: string): unknown;
  savepoint(work: never): unknown;
}

/** A connection returned by `sql.reserve`. */
export interface PostgresJsReserved {
  unsafe(text: string): unknown;
  release(): void;
}

export function isPostgresJs(given: unknown): given is PostgresJsSql {
  const { unsafe, begin, options } = (given ?? {}) as Partial<PostgresJsSql>;
  const { host, shared } = (options ?? {}) as Partial<PostgresJsOptions>;
  // Before version 3 it has no `shared`, and the library does not accept parsed options.
  return (
    typeof unsafe === 'function' && typeof begin === 'function' && Array.isArray(host) && typeof shared === 'object'
  );
}

/** Whether it has one connection, in a transaction or not. */
export function isPostgresJsTransaction(given: unknown): given is PostgresJsTransaction | PostgresJsReserved {
  const { unsafe, savepoint, release } = (given ?? {}) as Partial<PostgresJsTransaction & PostgresJsReserved>;
  return typeof unsafe === 'function' && (typeof savepoint === 'function' || typeof release === 'function');
}

/** The connection for statements of a guard. */
export function transactionOfPostgresJs(transaction: PostgresJsTransaction | PostgresJsReserved): PgConnection {
  return { query: (query) => send(transaction as PostgresJsSender, query) };
}

/**
 * An instance of `postgres`. Its pool cannot end a single connection, so separate connections are
 * opened, with the same library, options, and maximum.
 */
export function postgresJsClient(sql: PostgresJsSql): SqlClient<PgSession> {
  const options = sql.options as PostgresJsOptions;
  const open = async (): Promise<PgSession> => {
    const postgres = await importDriver('postgres', () => import('postgres'));
    return await openConnection(postgres, options);
  };
  const pool = new ConnectionPool<PgSession>({
    max: options.max,
    open,
    isOver,
    end: (connection) => connection.end(),
    keepRunning({ connection: { stream } }, keeps) {
      if (keeps) stream.ref();
      else stream.unref();
    },
  });
  return {
    database: 'postgres',
    isTransaction: false,
    max: options.max,
    get ended() {
      return pool.closed;
    },
    acquire: () => pool.acquire(),
    release: (connection, broken) => pool.release(connection, broken),
    waiting: () => pool.waiting,
    opening: () => pool.opening,
    isOver,
    discard: abandon,
    connect: open,
    close: () => pool.close(),
  };
}
