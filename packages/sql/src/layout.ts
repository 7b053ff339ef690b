import { LockError } from '@locks/core/adapter';
import { layoutVersion } from './dialect.ts';
import type { TableNames } from './names.ts';

/** The ways to have the tables. */
const ways =
  'list LocksMigrationSource among your Knex migrations, call migrate(knex), open with the option migrate=true, or run the files of sql/<database>/migrations';

/** What the tables are called in messages. */
export function nameOfTables({ table, schema }: TableNames, rest = ''): string {
  return `"${schema === undefined ? '' : `${schema}.`}${table}${rest}"`;
}

/**
 * Refuses a layout of the tables that this version cannot work with: `found` is what the layout table says, `undefined` without
 * the table or without its row.
 * @throws `LOCK_MISCONFIGURED` that names the fix.
 */
export function checkLayout(found: number | undefined, names: TableNames): void {
  if (found === layoutVersion) return;
  const tables = nameOfTables(names, '_layout');
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
    `the table ${nameOfTables(names, '_layout')} says layout ${found}, and this version of the package knows layouts up to ${layoutVersion}. Install the version of the package that the tables were made for, or a later one`,
  );
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/sql: ${why}.`);
}
