import { LockError, systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { Dialect } from './dialect.ts';
import { checkNames, kindOf } from './kinds.ts';
import type { KnexInstance } from './knex.ts';
import type { TableNames } from './names.ts';
import { readSqlOptions } from './options.ts';
import type { ReadSqlOptions, SqlOptions } from './options.ts';
import { SqlProvider } from './provider.ts';

/**
 * Locks in the database of a knex instance, which stays the caller's: connections of its pool are borrowed for one statement each,
 * outside of any transaction. The tables must be there: see `LocksMigrationSource`, `migrate` and the folder `sql`.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, or a transaction in place of a knex instance.
 */
export function createSqlProvider(knex: KnexInstance, options: SqlOptions = {}): LockProvider {
  return assembleProvider(knex, readSqlOptions(options), systemRuntime);
}

/** The provider behind `createSqlProvider` and `fromConfig`; the latter's destroys its knex. */
export function assembleProvider(
  knex: KnexInstance,
  options: ReadSqlOptions,
  runtime: Runtime,
  destroy?: () => Promise<unknown>,
): SqlProvider {
  const kind = kindOf(knex);
  if (knex.isTransaction === true) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      '@locks/sql was given a transaction: a lock taken in it would be undone, or seen by others, only with it. Give it the knex instance itself.',
    );
  }
  const { names, fair, waiterTtl, timeout } = options;
  checkNames(kind, names);
  const process = runtime.uniqueId();
  const { listen } = options;
  const dialect = kind.createDialect(knex.client, { names, fair, waiterTtl, timeout, listen, process, runtime });
  return new SqlProvider({ client: knex.client, dialect, options, runtime, process, destroy });
}

/** The dialect of `knex`, for what is not the work of a provider. */
export function plainDialect(knex: KnexInstance, names: TableNames, timeout?: number): Dialect {
  const kind = kindOf(knex);
  checkNames(kind, names);
  const { fair, waiterTtl, timeout: usual } = readSqlOptions({});
  const process = systemRuntime.uniqueId();
  const options = { names, fair, waiterTtl, timeout: timeout ?? usual, listen: false, process, runtime: systemRuntime };
  return kind.createDialect(knex.client, options);
}
