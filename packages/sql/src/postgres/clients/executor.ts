import { misconfigured } from '@locks/core/adapter';
import { executed } from './executed.ts';
import type { ExecutedValue, PostgresAnswer } from './executed.ts';
import type { PgConnection } from '../connection/connection.ts';
import type { SqlClient } from '../../dialect/pools/client.ts';

export type { ExecutedValue, PostgresAnswer };

/**
 * Connections to Postgres of any library, for one that `createSqlProvider` does not know. Its
 * waiters poll every 25 ms, as no connection can listen.
 */
export interface PostgresExecutor {
  readonly database: 'postgres';
  /** How many connections it lends at once, at most: a whole number from 1. */
  readonly max: number;
  /**
   * Lends a connection that is in no transaction, and to no other until it is given back. It may
   * wait until there is one. Rejects with the library's own errors.
   */
  connect(): Promise<PostgresExecutorConnection>;
}

/** A connection that a `PostgresExecutor` has lent. */
export interface PostgresExecutorConnection {
  /** As that of `PostgresTransaction`, outside of a transaction. */
  query(text: string, values: readonly ExecutedValue[]): Promise<PostgresAnswer>;
  /**
   * Takes it back. `broken`: it must be closed at once, with what it still does, and must not be
   * lent again.
   */
  release(broken: boolean): void;
}

/** An open transaction in Postgres of any library, for `fence`. */
export interface PostgresTransaction {
  readonly database: 'postgres';
  /**
   * Executes `text`, which has `$1`, `$2` … for `values`. Without values it may have several
   * statements, and the answer does not matter. All calls of one connection go over one session.
   * Rejects with an error whose `code` is what the server classifies it by (SQLSTATE), such as
   * `'40001'`. An error without that means that the connection is broken.
   */
  query(text: string, values: readonly ExecutedValue[]): Promise<PostgresAnswer>;
}

/** What both have, and nothing else that is taken. */
function isOfPostgres(given: unknown): given is { readonly database: 'postgres' } {
  return (given as { readonly database?: unknown } | undefined)?.database === 'postgres';
}

export function isExecutor(given: unknown): given is PostgresExecutor {
  return isOfPostgres(given) && typeof (given as Partial<PostgresExecutor>).connect === 'function';
}

export function isExecutorTransaction(given: unknown): given is PostgresTransaction {
  return isOfPostgres(given) && typeof (given as Partial<PostgresTransaction>).query === 'function';
}

/** What statements of a guard go over. */
export function transactionOf(transaction: PostgresTransaction): PgConnection {
  return executed((text, values) => transaction.query(text, values));
}

interface Lent extends PgConnection {
  readonly executor: PostgresExecutorConnection;
}

/** @throws `LOCK_MISCONFIGURED` for a `max` that is no number of connections. */
export function executorClient(executor: PostgresExecutor): SqlClient<Lent> {
  const { max } = executor;
  if (!Number.isInteger(max) || max < 1) {
    throw misconfigured('@locks/sql', `"max" of a PostgresExecutor is a whole number from 1, not ${String(max)}`);
  }
  /** One object for each connection: what is known of it is kept by that. */
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
    // What `release` is told ends it.
    discard() {},
  };
}
