import { misconfigured } from '@locks/core/adapter';
import type { TableNames } from './names.ts';

/** The columns of the one table of `routines: false`, in their order. */
const columns = 'key, version, record, written, keep_for';

/**
 * Checks the columns `found`. `otherwise`: why the database may hide an existing table.
 * @throws `LOCK_MISCONFIGURED` with what to do.
 */
export function checkColumns(found: string | undefined, { table, schema }: TableNames, otherwise = ''): void {
  if (found === columns) return;
  const name = `"${schema === undefined ? '' : `${schema}.`}${table}"`;
  throw misconfigured(
    '@locks/sql',
    found === undefined
      ? `the table ${name} is missing${otherwise}. To create it, run sql/<database>/texts/table.sql, call migrateTables(client, { routines: false }), or open with migrate=true`
      : `the table ${name} is not one for option "routines" false, which needs the columns (${columns}). Leave the option out in all processes if it was made for routines, else set option "table" to another name`,
  );
}
