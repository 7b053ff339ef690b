import { LockError } from '@locks/core/adapter';
import { layoutVersion } from './dialect.ts';
import type { Kind } from './kinds.ts';
import type { TableNames } from './names.ts';
import type { Session } from './session.ts';

/** The ways to have the tables. */
const ways =
  'list LocksMigrationSource among your Knex migrations, call migrate(knex), open with the option migrate=true, or run the files of sql/<database>/migrations';

/**
 * Refuses a layout of the tables that this version cannot work with: `found` is what the layout table says, `undefined` without
 * the table or without its row.
 * @throws `LOCK_MISCONFIGURED` that names the fix.
 */
export function checkLayout(found: number | undefined, names: TableNames): void {
  if (found === layoutVersion) return;
  const tables = nameOf(names);
  if (found === undefined) {
    throw misconfigured(
      `the table ${tables} is missing: the locks' tables were not created here. To create them, ${ways}`,
    );
  }
  if (found < layoutVersion) {
    throw misconfigured(
      `the table ${tables} says layout ${found}; this version of the package needs layout ${layoutVersion}. To update the tables, ${ways}`,
    );
  }
  throw newerLayout(found, names);
}

/** The error for tables that a later version of this package has made. */
export function newerLayout(found: number, names: TableNames): LockError {
  return misconfigured(
    `the table ${nameOf(names)} says layout ${found}, and this version of the package knows layouts up to ${layoutVersion}. Install the version of the package that the tables were made for, or a later one`,
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
  sqlite: "SELECT count(*) AS found FROM sqlite_master WHERE type = 'table' AND name = ?",
};

/** The layout of the tables; `undefined` where there are none, or where making them was not finished. */
export async function layoutOf(session: Session): Promise<number | undefined> {
  const { kind, names } = session;
  const table = `${names.table}_layout`;
  const bindings = { postgres: [], mysql: [names.schema ?? null, table], sqlite: [table] }[kind.name];
  const [there] = await session.rows(existence[kind.name], ...bindings);
  if (Number(there?.['found']) === 0) return undefined;
  const [layout] = await session.rows(`SELECT max(version) AS version FROM ${kind.quote}locks_layout${kind.quote}`);
  const version = layout?.['version'] ?? undefined;
  return version === undefined ? undefined : Number(version);
}

/** Runs the statements of a step. */
export async function runAll(session: Session, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await session.run(statement);
}
