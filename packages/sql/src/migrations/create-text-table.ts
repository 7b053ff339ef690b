import { withSession } from '../databases/with-session.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { checkColumns } from '../dialect/layout/check-columns.ts';
import { textsOf } from '../databases/store-of.ts';
import { alone, explainMigration } from './change-layout.ts';

/**
 * Creates the table of `routines: false` where it is missing.
 * @throws `LOCK_MISCONFIGURED` for a table with other columns, and for a user who may not create
 * one.
 */
export async function createTextTable(client: SqlClient, names: TableNames): Promise<void> {
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
