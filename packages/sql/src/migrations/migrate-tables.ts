import { misconfigured } from '@locks/core/adapter';
import type { KnexInstance } from '../dialect/knex.ts';
import { layoutVersion } from '../dialect/layout/layout.ts';
import { readMigrateTablesOptions } from '../options/provider-options.ts';
import type { MigrateTablesOptions } from '../options/provider-options.ts';
import { changeLayout, stepsTo } from './change-layout.ts';
import { createPlainTable } from './create-plain-table.ts';

/**
 * Creates the tables, or brings them to the layout of this version. Does nothing if that is done,
 * by whatever way; processes that call it at once do it one after another. A schema must be there;
 * the user must be allowed to create tables and, on a server, routines.
 *
 * With `routines: false` it creates the one table of four columns. A later call without that option
 * gives this table what routines need; keys that are held stay held.
 * @throws `LOCK_MISCONFIGURED` when the tables are of a later version of this package, or when the
 * user may not do it.
 */
export async function migrateTables(knex: KnexInstance, options: MigrateTablesOptions = {}): Promise<void> {
  if (knex?.isTransaction === true) {
    throw misconfigured(
      '@locks/sql',
      'migrateTables() was given a transaction; give it the knex instance itself, or list LocksMigrationSource among your migrations',
    );
  }
  const { names, routines } = readMigrateTablesOptions(options);
  if (!routines) return await createPlainTable(knex, names);
  await changeLayout(knex, names, (found, dialect) => stepsTo(layoutVersion, found, names, dialect));
}
