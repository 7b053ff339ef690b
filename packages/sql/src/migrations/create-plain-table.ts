import { withSession } from '../connections/with-session.ts';
import type { SqlClient } from '../clients/client.ts';
import type { TableNames } from '../dialect/names.ts';
import { checkColumns } from '../dialect/stores/plain-columns.ts';
import { plainOf } from '../store-of.ts';
import { explainMigration } from './explain-migration.ts';

/**
 * Creates the table of `routines: false` where it is missing.
 * @throws `LOCK_MISCONFIGURED` for a table with other columns, and for a user who may not create
 * one.
 */
export async function createPlainTable(client: SqlClient, names: TableNames): Promise<void> {
  try {
    await withSession(client, names, async (session, dialect) => {
      const { checkVersion, withMigrationLock } = dialect;
      const plain = plainOf(dialect);
      await checkVersion(session);
      await withMigrationLock(session, async () => {
        const found = await plain.columnsOf(session);
        if (found === undefined) await session.run(plain.create);
        else checkColumns(found, plain.columns, names);
      });
    });
  } catch (error) {
    throw explainMigration(client, names, error);
  }
}
