import { LockError, createDeadline } from '@locks/core/adapter';
import type { AdapterConfig } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { readConfigOptions } from './config-options.ts';
import { assembleProvider } from './create-provider.ts';
import { readDatabaseUrl } from './database-url.ts';
import type { DatabasePlace } from './database-url.ts';
import { migrate } from './migrate.ts';
import { checkNames, kindOf } from './kinds.ts';
import type { TableNames } from './names.ts';
import { openPool } from './own-pool.ts';

/** The longest that `close` waits for connections to end in order, in ms. */
const longestGrace = 1_000;

/**
 * The provider as `openLocks('postgres://…')`, `mysql://…`, `mariadb://…` and `sqlite:./locks.db` make it, with connections of its own.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, a missing driver, refused credentials, a database or tables that are not there;
 * `LOCK_UNAVAILABLE` when the database does not answer within `connectTimeout`.
 */
export async function fromConfig({ url, options, runtime }: AdapterConfig): Promise<LockProvider> {
  const place = readDatabaseUrl(url);
  const { provider: given, connections, migrate: toMigrate } = readConfigOptions(options, place.kind);
  checkDatabase(place, given.names);
  const { connectTimeout } = connections;
  const { knex, schema, end } = await openPool(place, connections, runtime);
  checkNames(kindOf(knex), given.names);
  const own = schema === undefined ? given : { ...given, names: { ...given.names, schema } };
  const provider = assembleProvider(knex, own, runtime, () => end(Math.min(own.timeout / 2, longestGrace)));
  const deadline = createDeadline(runtime, connectTimeout, provider.name);
  const connect = async (): Promise<void> => {
    if (toMigrate) await migrate(knex, own.names);
    await provider.connect();
  };
  try {
    await deadline.race(connect(), 'the connection');
    return provider;
  } catch (error) {
    await provider.close();
    throw error;
  } finally {
    deadline.stop();
  }
}

/** Postgres has one that is named after the user; MariaDB and MySQL leave it open, and then no table is found. */
function checkDatabase(place: DatabasePlace, { schema }: TableNames): void {
  if (place.kind !== 'mysql' || place.database !== undefined || schema !== undefined) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    '@locks/sql: its URL names no database; write mysql://user:password@host/database, or set option "schema".',
  );
}
