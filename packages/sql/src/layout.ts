import { LockError } from '@locks/core/adapter';
import { layoutVersion } from './dialect.ts';
import type { Kind } from './kinds.ts';
import type { TableNames } from './names.ts';
import type { Session } from './session.ts';

/** The ways to have the tables. */
const ways =
  'list LocksMigrationSource among your Knex migrations, call migrate(knex), open with the option migrate=true, or run the files of sql/<database>/migrations';

/** What the layout table says. */
export interface Layout {
  readonly version: number;
  /** The oldest layout whose packages can use these tables: during an upgrade, older processes go on. */
  readonly readableFrom: number;
}

/**
 * Refuses a layout of the tables that this version cannot work with: `found` is what the layout table says, `undefined` without
 * the table or without its row.
 * @throws `LOCK_MISCONFIGURED` that names the fix.
 */
export function checkLayout(found: Layout | undefined, names: TableNames): void {
  const tables = nameOf(names);
  if (found === undefined) {
    throw misconfigured(
      `the table ${tables} is missing: the locks' tables were not created here. To create them, ${ways}`,
    );
  }
  if (found.version < layoutVersion) {
    throw misconfigured(
      `the table ${tables} says layout ${found.version}; this version of the package needs layout ${layoutVersion}. To update the tables, ${ways}`,
    );
  }
  checkReadable(found, names);
}

/** @throws `LOCK_MISCONFIGURED` for tables that a later version of this package has made, and this one cannot use. */
export function checkReadable({ version, readableFrom }: Layout, names: TableNames): void {
  if (readableFrom <= layoutVersion) return;
  throw misconfigured(
    `the table ${nameOf(names)} says layout ${version}, for packages that know layout ${readableFrom}; this one knows layout ${layoutVersion}. Install the version of the package that the tables were made for, or a later one`,
  );
}

function nameOf({ table, schema }: TableNames): string {
  return `"${schema === undefined ? '' : `${schema}.`}${table}_layout"`;
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/sql: ${why}.`);
}

/** Whether the table is there: what asks the table itself fails without it, and ends a transaction of Postgres. */
const existence: Readonly<Record<Kind['name'], string>> = {
  postgres: `SELECT count(*) AS found FROM pg_class WHERE oid = to_regclass('"locks_layout"')`,
  mysql:
    'SELECT count(*) AS found FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?',
  // In whatever file that is attached.
  sqlite: 'SELECT count(*) AS found FROM pragma_table_info(?)',
};

/** The layout of the tables; `undefined` where there are none, or where making them was not finished. */
export async function layoutOf(session: Session): Promise<Layout | undefined> {
  const { kind, names } = session;
  const table = `${names.table}_layout`;
  const bindings = { postgres: [], mysql: [names.schema ?? null, table], sqlite: [table] }[kind.name];
  const [there] = await session.rows(existence[kind.name], ...bindings);
  if (Number(there?.['found']) === 0) return undefined;
  const quoted = `${kind.quote}locks_layout${kind.quote}`;
  const [row] = await session.rows(`SELECT version, readable_from FROM ${quoted} ORDER BY version DESC LIMIT 1`);
  return row && { version: Number(row['version']), readableFrom: Number(row['readable_from']) };
}

/** Runs the statements of a step. */
export async function runAll(session: Session, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await session.run(statement);
}
