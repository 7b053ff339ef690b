import { misconfigured } from '@locks/core/adapter';

/** The names of the tables. */
export interface TableNames {
  /** The prefix of the names of all tables and routines. */
  readonly table: string;
  /** The schema (Postgres) or database (MySQL); `undefined`: the connection's own. */
  readonly schema: string | undefined;
}

/**
 * Short enough that the longest derived name stays below the 63 bytes of Postgres and the 64 of
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
 * `sql` with the configured names in place of the default ones, which are quoted with `quote` and
 * begin with `locks`.
 */
export function rendered(sql: string, { table, schema }: TableNames, quote: '"' | '`'): string {
  // Options were validated, but a name is checked again before it goes into SQL.
  if (!isName(table)) throw misconfigured('@locks/sql', `"${table}" is not a name: ${nameRule}`);
  // A schema reported by the database may have any name.
  const before = schema === undefined ? quote : `${quote}${schema.replaceAll(quote, quote + quote)}${quote}.${quote}`;
  return sql.replaceAll(
    new RegExp(`${quote}locks(_[a-z_]+)?${quote}`, 'g'),
    (_, rest: string | undefined) => `${before}${table}${rest ?? ''}${quote}`,
  );
}
