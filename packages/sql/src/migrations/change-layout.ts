import { LockError, isLockError } from '@locks/core/adapter';
import { withSession } from '../databases/with-session.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { checkReadable, checkTables, layoutVersion } from '../dialect/layout/layout.ts';
import type { FoundTables } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { textOf } from '../dialect/errors/call-error.ts';
import { dialectOf } from '../databases/dialects.ts';

/** The subject of a statement, by its suffix to the default name of the tables. */
const subject = /^(?:CREATE|ALTER|DROP|INSERT|UPDATE)(?: [A-Z]+)* ["`]locks(\w*)["`]/;

/**
 * Runs the statements that `steps` returns for the existing tables, while no other process changes
 * them.
 * @throws `LOCK_MISCONFIGURED` with what to do.
 */
export async function changeLayout(
  client: SqlClient,
  names: TableNames,
  steps: (found: FoundTables, dialect: Dialect) => readonly string[],
): Promise<void> {
  const change = async (session: SqlSession, dialect: Dialect): Promise<void> => {
    const found = await dialect.tablesOf(session);
    for (const statement of steps(found, dialect)) await session.run(statement);
  };
  try {
    await withSession(client, names, async (session, dialect) => {
      await alone(session, dialect, () => change(session, dialect));
    });
  } catch (error) {
    throw explainMigration(client, names, error);
  }
}

/** @throws `LOCK_MISCONFIGURED` if a table or a routine is missing. */
export async function checkTablesOf(client: SqlClient, names: TableNames): Promise<void> {
  await withSession(client, names, async (session, dialect) => {
    checkTables(await dialect.tablesOf(session), names);
  });
}

/** The statements that lead from the found tables to layout `to`, or recreate missing parts. */
export function stepsTo(to: number, found: FoundTables, names: TableNames, dialect: Dialect): readonly string[] {
  const { layout, present, missing } = found;
  if (layout !== undefined) checkReadable(layout, names);
  const whole = layout !== undefined && (missing.length === 0 || layout.version > layoutVersion);
  const steps = dialect.migrations.slice(whole ? layout.version : 0, to).flatMap(({ up }) => up);
  // Existing parts are not changed: other processes use them.
  return steps.filter((statement) => !present.includes(subject.exec(statement)?.[1] ?? '?'));
}

/** The statements that undo the steps from layout `to` on. `names`: refuses a later layout. */
export function stepsBack(to: number, { layout, present }: FoundTables, dialect: Dialect): readonly string[] {
  const taken = dialect.migrations.slice(to, layout?.version);
  const all = taken.toReversed().flatMap(({ down }) => down);
  // Without a layout a table may be of another origin.
  return layout === undefined ? all.filter((each) => present.includes(subject.exec(each)?.[1] ?? '?')) : all;
}

/** The result of `change`, which no other process runs simultaneously, on a supported server. */
export async function alone<T>(session: SqlSession, dialect: Dialect, change: () => Promise<T>): Promise<T> {
  const [row] = await session.rows(dialect.serverVersion);
  dialect.refuseOld(row?.['server']);
  return await dialect.withMigrationLock(session, change);
}

/** The contract's error for a failed migration. */
export function explainMigration(client: SqlClient, names: TableNames, error: unknown): LockError {
  if (isLockError(error)) return error;
  const dialect = dialectOf(client, names);
  const remedy = dialect.migrationRemedy(error);
  if (remedy === undefined) return dialect.explain(client, error, 'a migration');
  const message = `@locks/sql cannot migrate its tables: ${textOf(error)}. ${remedy}`;
  return new LockError('LOCK_MISCONFIGURED', message, { cause: error });
}
