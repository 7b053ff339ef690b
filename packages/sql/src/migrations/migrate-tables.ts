import { misconfigured } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';
import { findClient } from '../clients/find-client.ts';
import type { AnySqlClient } from '../clients/find-client.ts';
import { textsOf } from '../databases/store-of.ts';
import { withSession } from '../databases/with-session.ts';
import { checkColumns } from '../dialect/layout/check-columns.ts';
import { layoutVersion } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { readMigrateTablesOptions } from '../options/provider-options.ts';
import type { MigrateTablesOptions } from '../options/provider-options.ts';
import { alone, changeLayout, explainMigration, stepsTo } from './change-layout.ts';

/**
 * Creates the tables, or migrates them to the layout of this version. Recreates a missing table or
 * routine, and does not change the others. Does nothing if all exist; simultaneous calls run one
 * after another. The schema must exist; the user must have the right to create tables and, on a
 * server, routines.
 *
 * With `routines: false` it creates the one table of texts, which routines cannot use.
 * @throws `LOCK_MISCONFIGURED` if the tables are of a later version of this package, or the user lacks
 * the rights.
 */
export async function migrateTables(client: AnySqlClient, options: MigrateTablesOptions = {}): Promise<void> {
  const found = findClient(client);
  try {
    await migrateTablesOf(found, options);
  } finally {
    await found.close?.();
  }
}

/** The same for an adapted client. */
export async function migrateTablesOf(client: SqlClient, options: MigrateTablesOptions): Promise<void> {
  if (client.isTransaction) {
    throw misconfigured(
      '@locks/sql',
      'migrateTables() was given a transaction; pass the pool, or the knex instance itself, or list LocksMigrationSource among your migrations',
    );
  }
  const { names, routines } = readMigrateTablesOptions(options);
  if (!routines) return await createTextTable(client, names);
  await changeLayout(client, names, (found, dialect) => stepsTo(layoutVersion, found, names, dialect));
}

/**
 * Creates the table of `routines: false` if it is missing.
 * @throws `LOCK_MISCONFIGURED` for a table with other columns, and for a user without the right.
 */
async function createTextTable(client: SqlClient, names: TableNames): Promise<void> {
  try {
    await withSession(client, names, async (session, dialect) => {
      const { create, columnsOf } = textsOf(dialect);
      await alone(session, dialect, async () => {
        const found = await columnsOf(session);
        if (found === undefined) await session.run(create);
        else checkColumns(found, names);
      });
    });
  } catch (error) {
    throw explainMigration(client, names, error);
  }
}
