import { misconfigured } from '@locks/core/adapter';

/** Where the tables are. */
export interface TableNames {
  /** What the names of all tables and routines begin with. */
  readonly table: string;
  /** The schema (Postgres) or database (MySQL) they are in; `undefined`: the connection's own. */
  readonly schema: string | undefined;
}

/**
 * Short enough that the longest name made of it stays below the 63 bytes of Postgres, the 64 of
 * MySQL.
 */
const name = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;

/** What a name must be, for messages. */
export const nameRule = '1 to 40 letters, digits and underscores, not beginning with a digit';

/** Whether `text` may name a table or a schema. */
function isName(text: string): boolean {
  return name.test(text);
}

/**
 * `sql` with the names of our tables and routines, which it has quoted with `quote` and beginning
 * with `locks`, replaced by the configured ones.
 */
export function rendered(sql: string, { table, schema }: TableNames, quote: '"' | '`'): string {
  // The options were validated before. A name is checked again where it is put into SQL.
  if (!isName(table)) throw misconfigured('@locks/sql', `"${table}" is not a name: ${nameRule}`);
  // The database may have told the schema, where it may have any name.
  const before = schema === undefined ? quote : `${quote}${schema.replaceAll(quote, quote + quote)}${quote}.${quote}`;
  return sql.replaceAll(
    new RegExp(`${quote}locks(_[a-z_]+)?${quote}`, 'g'),
    (_, rest: string | undefined) => `${before}${table}${rest ?? ''}${quote}`,
  );
}
