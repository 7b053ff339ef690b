import { misconfigured } from '@locks/core/adapter';
import { executed } from './executed.ts';
import type { ExecutedValue, PostgresAnswer } from './executed.ts';
import type { PgConnection } from '../connection/connection.ts';
import type { SqlClient } from '../../dialect/pools/client.ts';

export type { ExecutedValue, PostgresAnswer };

/**
 * Connections to Postgres through any library that `createSqlProvider` does not know. Its waiters
 * poll every 25 ms, as no connection can listen.
 */
export interface PostgresExecutor {
  readonly database: 'postgres';
  /** How many connections it lends simultaneously: a whole number from 1. */
  readonly max: number;
  /**
   * Lends a connection outside of a transaction, exclusively until it is released. It may wait for
   * one. Rejects with the library's own errors.
   */
  connect(): Promise<PostgresExecutorConnection>;
}

/** A connection that a `PostgresExecutor` has lent. */
export interface PostgresExecutorConnection {
  /** As that of `PostgresTransaction`, outside of a transaction. */
  query(text: string, values: readonly ExecutedValue[]): Promise<PostgresAnswer>;
  /** Takes it back. `broken`: close it immediately, cancel its work, and do not lend it again. */
  release(broken: boolean): void;
}

/** An open transaction in Postgres of any library, for `fence`. */
export interface PostgresTransaction {
  readonly database: 'postgres';
  /**
   * Executes `text`, which has `$1`, `$2` … for `values`. Without values it may have several
   * statements, and the answer is ignored. All calls of one connection use one session. Rejects
   * with an error whose `code` is the server's SQLSTATE, such as `'40001'`. An error without it
   * means that the connection is broken.
   */
  query(text: string, values: readonly ExecutedValue[]): Promise<PostgresAnswer>;
}

/** What both have, and no other accepted client. */
function isOfPostgres(given: unknown): given is { readonly database: 'postgres' } {
  return (given as { readonly database?: unknown } | undefined)?.database === 'postgres';
}

export function isExecutor(given: unknown): given is PostgresExecutor {
  return isOfPostgres(given) && typeof (given as Partial<PostgresExecutor>).connect === 'function';
}

export function isExecutorTransaction(given: unknown): given is PostgresTransaction {
  return isOfPostgres(given) && typeof (given as Partial<PostgresTransaction>).query === 'function';
}

/** The connection for statements of a guard. */
export function transactionOf(transaction: PostgresTransaction): PgConnection {
  return executed((text, values) => transaction.query(text, values));
}

interface Lent extends PgConnection {
  readonly executor: PostgresExecutorConnection;
}

/** @throws `LOCK_MISCONFIGURED` for an invalid `max`. */
export function executorClient(executor: PostgresExecutor): SqlClient<Lent> {
  const { max } = executor;
  if (!Number.isInteger(max) || max < 1) {
    throw misconfigured('@locks/sql', `"max" of a PostgresExecutor is a whole number from 1, not ${String(max)}`);
  }
  /** One object for each connection, as state is kept by object. */
  const known = new WeakMap<PostgresExecutorConnection, Lent>();
  return {
    database: 'postgres',
    isTransaction: false,
    max,
    ended: false,
    async acquire() {
      const connection = await executor.connect();
      const lent = known.get(connection) ?? {
        ...executed((...query) => connection.query(...query)),
        executor: connection,
      };
      known.set(connection, lent);
      return lent;
    },
    release: (connection, broken) => connection.executor.release(broken),
    waiting: () => undefined,
    // `release` with `broken` ends it.
    discard() {},
  };
}
