import { misconfigured } from '@locks/core/adapter';
import type { SqlSession } from '../sql-session.ts';
import type { TableNames } from '../names.ts';

/** The layout of the tables that this version writes. */
export const layoutVersion = 1;

/** The ways to have the tables. */
const ways =
  'call migrateTables(client), open with migrate=true, list LocksMigrationSource among your Knex migrations, or run the files of sql/<database>/migrations';

/** What the layout table says. */
export interface Layout {
  readonly version: number;
  /**
   * The oldest layout whose packages can use these tables: during an upgrade, older processes go
   * on.
   */
  readonly readableFrom: number;
}

/**
 * Refuses a layout of the tables that this version cannot work with. `found` is the latest row of
 * the layout table; `undefined` without the table or without a row. `otherwise`: why the database
 * may say so of a table that is there.
 * @throws `LOCK_MISCONFIGURED` that names the fix.
 */
export function checkLayout(found: Layout | undefined, names: TableNames, otherwise = ''): void {
  const tables = nameOf(names);
  if (found === undefined) {
    throw misconfigured(
      '@locks/sql',
      `the table ${tables} is missing${otherwise}. To create the locks' tables, ${ways}`,
    );
  }
  if (found.version < layoutVersion) {
    throw misconfigured(
      '@locks/sql',
      `the table ${tables} says layout ${found.version}; this version of the package needs layout ${layoutVersion}. To update the tables, ${ways}`,
    );
  }
  checkReadable(found, names);
}

/**
 * @throws `LOCK_MISCONFIGURED` for tables that a later version of this package has made, and this
 * one cannot use.
 */
export function checkReadable({ version, readableFrom }: Layout, names: TableNames): void {
  if (readableFrom <= layoutVersion) return;
  throw misconfigured(
    '@locks/sql',
    `the table ${nameOf(names)} says layout ${version}, for packages that know layout ${readableFrom}; this one knows layout ${layoutVersion}. Install the version of the package that the tables were made for, or a later one`,
  );
}

function nameOf({ table, schema }: TableNames): string {
  return `"${schema === undefined ? '' : `${schema}.`}${table}_layout"`;
}

/** The statements that read the layout. */
interface LayoutStatements {
  /**
   * Whether the table is there, as `found`: a query of the table itself would fail, and end a
   * transaction of Postgres.
   */
  readonly exists: string;
  readonly bindings: readonly unknown[];
  /** The `version` and `readable_from` of the latest row. */
  readonly read: string;
}

/**
 * The layout of the tables; `undefined` where there are none, or where making them was not
 * finished.
 */
export async function readLayout(
  session: SqlSession,
  { exists, bindings, read }: LayoutStatements,
): Promise<Layout | undefined> {
  const [there] = await session.rows(exists, ...bindings);
  if (Number(there?.['found']) === 0) return undefined;
  const [row] = await session.rows(read);
  return row && { version: Number(row['version']), readableFrom: Number(row['readable_from']) };
}
