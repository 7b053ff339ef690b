import { misconfigured } from '@locks/core/adapter';
import type { SqlSession } from './sql-session.ts';
import type { TableNames } from './names.ts';

/** The layout of the tables that this version writes. */
export const layoutVersion = 1;

/** The ways to create the tables. */
const ways =
  'call migrateTables(client), open with migrate=true, list LocksMigrationSource among your Knex migrations, or run the files of sql/<database>/migrations';

/** The content of the layout table. */
export interface Layout {
  readonly version: number;
  /**
   * The oldest layout whose packages can use these tables: during an upgrade, older processes
   * continue.
   */
  readonly readableFrom: number;
}

/**
 * Checks that this version supports the layout. `found` is the latest row of the layout table;
 * `undefined` without the table or a row. `otherwise`: why the database may hide an existing table.
 * @throws `LOCK_MISCONFIGURED` with what to do.
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
      `the table ${tables} has layout ${found.version}; this version of the package needs layout ${layoutVersion}. To update the tables, ${ways}`,
    );
  }
  checkReadable(found, names);
}

/** @throws `LOCK_MISCONFIGURED` for tables of a later version that this one cannot use. */
export function checkReadable({ version, readableFrom }: Layout, names: TableNames): void {
  if (readableFrom <= layoutVersion) return;
  throw misconfigured(
    '@locks/sql',
    `the table ${nameOf(names)} has layout ${version}, for packages that support layout ${readableFrom}; this one supports layout ${layoutVersion}. Install the version of the package that the tables were made for, or a later one`,
  );
}

function nameOf({ table, schema }: TableNames): string {
  return `"${schema === undefined ? '' : `${schema}.`}${table}_layout"`;
}

/**
 * The existing tables and routines. Each is named by its suffix to the configured name: '' is the
 * table of the keys.
 */
export interface FoundTables {
  /** `undefined`: without that table or its row, also if creating the tables was interrupted. */
  readonly layout: Layout | undefined;
  /** Those that match the present layout. */
  readonly present: readonly string[];
  readonly missing: readonly string[];
}

/** A message names at most this many: more would hide what to do. */
const mostNamed = 5;

/** As `checkLayout`, and also checks that no table or routine is missing. */
export function checkTables({ layout, missing }: FoundTables, names: TableNames): void {
  checkLayout(layout, names);
  if (missing.length === 0 || layout?.version !== layoutVersion) return;
  const named = missing.slice(0, mostNamed).map((rest) => `"${names.table}${rest}"`);
  const more = missing.length > mostNamed ? ` and ${missing.length - mostNamed} more` : '';
  throw misconfigured(
    '@locks/sql',
    `some of the locks' tables and routines are missing or unusable: ${named.join(', ')}${more}. To recreate them, run: locks tables up, or call migrateTables(client); existing rows stay`,
  );
}

/**
 * Reads the existing ones. `found`: whether each table and routine exists; `read` selects the
 * `version` and `readable_from` of the latest row of the layout.
 */
export async function readTables(
  session: SqlSession,
  found: ReadonlyMap<string, boolean>,
  read: string,
): Promise<FoundTables> {
  const [row] = found.get('_layout') === true ? await session.rows(read) : [];
  const layout = row && { version: Number(row['version']), readableFrom: Number(row['readable_from']) };
  const isThere = (rest: string): boolean => found.get(rest) === true && (rest !== '_layout' || row !== undefined);
  const names = [...found.keys()];
  return { layout, present: names.filter(isThere), missing: names.filter((rest) => !isThere(rest)) };
}
