import { LockError, systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { SqlClient } from './dialect/pools/client.ts';
import { findClient } from './clients/find-client.ts';
import type { AnySqlClient } from './clients/find-client.ts';
import { dialectOf } from './databases/dialects.ts';
import { readSqlOptions } from './options/provider-options.ts';
import type { ReadSqlOptions, SqlOptions } from './options/provider-options.ts';
import { createTextProvider } from './records/text-provider.ts';
import type { ConnectingProvider } from './records/text-provider.ts';
import { storeOf } from './databases/store-of.ts';
import { SqlProvider } from './provider.ts';

/**
 * Locks in a database, through a client of the application: a knex instance, a `Pool` of pg, a
 * `sql` of postgres, a pool of mysql2, a database of SQLite, a `PostgresExecutor`. The caller owns
 * it. The provider borrows connections of its pool for one statement each, outside of any
 * transaction; for a `sql` of postgres it opens its own, until `close`. The tables must exist: see
 * `LocksMigrationSource`, `migrateTables` and the folder `sql`.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, or a client that cannot be used.
 */
export function createSqlProvider(client: AnySqlClient, options: SqlOptions = {}): LockProvider {
  const found = findClient(client);
  return assembleProvider(found, readSqlOptions(options), systemRuntime, found.close);
}

/** The provider of `createSqlProvider` and `fromConfig`; the latter's ends its pool. */
export function assembleProvider(
  client: SqlClient,
  options: ReadSqlOptions,
  runtime: Runtime,
  destroy?: () => Promise<unknown>,
): ConnectingProvider {
  const dialect = dialectOf(client, options.names);
  if (client.isTransaction) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      '@locks/sql was given a transaction: a lock taken in it would be committed or rolled back only with it. Pass the pool, or the knex instance itself.',
    );
  }
  const parts = { client, dialect, options, runtime, destroy };
  const found = storeOf(dialect, client, options, runtime);
  return found.routines ? new SqlProvider({ ...parts, ...found }) : createTextProvider({ ...parts, ...found });
}
