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

/** What a statement is about, by what follows the usual name of the tables. */
const subject = /^(?:CREATE|ALTER|DROP|INSERT|UPDATE)(?: [A-Z]+)* ["`]locks(\w*)["`]/;

/**
 * Runs the statements that `steps` answers for the tables that are there, while no other process
 * changes them.
 * @throws `LOCK_MISCONFIGURED` that names the way out.
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

/** Refuses tables of which one, or a routine, is missing. @throws `LOCK_MISCONFIGURED` */
export async function checkTablesOf(client: SqlClient, names: TableNames): Promise<void> {
  await withSession(client, names, async (session, dialect) => {
    checkTables(await dialect.tablesOf(session), names);
  });
}

/**
 * The statements that lead from what was found to layout `to`, or make again what is missing of it.
 */
export function stepsTo(to: number, found: FoundTables, names: TableNames, dialect: Dialect): readonly string[] {
  const { layout, present, missing } = found;
  if (layout !== undefined) checkReadable(layout, names);
  const whole = layout !== undefined && (missing.length === 0 || layout.version > layoutVersion);
  const steps = dialect.migrations.slice(whole ? layout.version : 0, to).flatMap(({ up }) => up);
  // What is there stays as it is: other processes use it.
  return steps.filter((statement) => !present.includes(subject.exec(statement)?.[1] ?? '?'));
}

/** The statements that undo the steps from layout `to` on. `names`: refuses a later layout. */
export function stepsBack(to: number, { layout, present }: FoundTables, dialect: Dialect): readonly string[] {
  const taken = dialect.migrations.slice(to, layout?.version);
  const all = taken.toReversed().flatMap(({ down }) => down);
  // Without a layout a table may be of another origin.
  return layout === undefined ? all.filter((each) => present.includes(subject.exec(each)?.[1] ?? '?')) : all;
}

/** What `change` resolves to, which no other process runs meanwhile, on a server that is new enough. */
export async function alone<T>(session: SqlSession, dialect: Dialect, change: () => Promise<T>): Promise<T> {
  const [row] = await session.rows(dialect.serverVersion);
  dialect.refuseOld(row?.['server']);
  return await dialect.withMigrationLock(session, change);
}

/** The contract's error for what went wrong in a migration. */
export function explainMigration(client: SqlClient, names: TableNames, error: unknown): LockError {
  if (isLockError(error)) return error;
  const dialect = dialectOf(client, names);
  const remedy = dialect.migrationRemedy(error);
  if (remedy === undefined) return dialect.explain(client, error, 'a migration');
  const message = `@locks/sql cannot migrate its tables: ${textOf(error)}. ${remedy}`;
  return new LockError('LOCK_MISCONFIGURED', message, { cause: error });
}
