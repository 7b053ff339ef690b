import { withSession } from '../connections/with-session.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { SqlClient } from '../clients/client.ts';
import type { SqlSession } from '../dialect/sql-session.ts';
import { checkReadable } from '../dialect/layout/layout.ts';
import type { Layout } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/names.ts';
import { explainMigration } from './explain-migration.ts';

/**
 * Runs the statements that `steps` answers for the layout that is there, while no other process
 * changes it.
 * @throws `LOCK_MISCONFIGURED` that names the way out.
 */
export async function changeLayout(
  client: SqlClient,
  names: TableNames,
  steps: (found: Layout | undefined, dialect: Dialect) => readonly string[],
): Promise<void> {
  const change = async (session: SqlSession, dialect: Dialect): Promise<void> => {
    const found = await dialect.layoutOf(session);
    for (const statement of steps(found, dialect)) await session.run(statement);
  };
  try {
    await withSession(client, names, async (session, dialect) => {
      await dialect.checkVersion(session);
      await dialect.withMigrationLock(session, () => change(session, dialect));
    });
  } catch (error) {
    throw explainMigration(client, names, error);
  }
}

/** The statements that lead from the layout `found` to layout `to`. */
export function stepsTo(to: number, found: Layout | undefined, names: TableNames, dialect: Dialect): readonly string[] {
  if (found !== undefined) checkReadable(found, names);
  return dialect.migrations.slice(found?.version ?? 0, to).flatMap(({ up }) => up);
}
