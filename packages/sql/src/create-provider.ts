import { LockError, systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { KnexInstance } from './dialect/knex.ts';
import { dialectOf } from './dialects.ts';
import { readSqlOptions } from './options/provider-options.ts';
import type { ReadSqlOptions, SqlOptions } from './options/provider-options.ts';
import { PlainProvider } from './plain-provider.ts';
import { SqlProvider } from './provider.ts';

/**
 * Locks in the database of a knex instance, which stays the caller's. The provider borrows
 * connections of its pool for one statement each, outside of any transaction. The tables must be
 * there: see `LocksMigrationSource`, `migrateTables` and the folder `sql`.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, or a transaction in place of a knex instance.
 */
export function createSqlProvider(knex: KnexInstance, options: SqlOptions = {}): LockProvider {
  return assembleProvider(knex, readSqlOptions(options), systemRuntime);
}

/** A provider that can be asked to connect before its first call. */
type ConnectingProvider = PlainProvider | SqlProvider;

/** The provider behind `createSqlProvider` and `fromConfig`; the latter's destroys its knex. */
export function assembleProvider(
  knex: KnexInstance,
  options: ReadSqlOptions,
  runtime: Runtime,
  destroy?: () => Promise<unknown>,
): ConnectingProvider {
  const dialect = dialectOf(knex, options.names);
  const { client } = knex;
  if (knex.isTransaction === true) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      '@locks/sql was given a transaction: a lock taken in it would be undone, or seen by others, only with it. Give it the knex instance itself.',
    );
  }
  if (!options.routines) {
    const plain = dialect.plain.createStore(client, { ...options, runtime });
    return new PlainProvider({ client, dialect, store: plain, options, runtime, destroy });
  }
  const process = dialect.processName(runtime.uniqueId());
  const store = dialect.createStore(client, { ...options, process, runtime });
  return new SqlProvider({ client, dialect, store, options, runtime, process, destroy });
}
