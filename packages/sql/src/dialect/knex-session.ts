import type { KnexClient } from './knex.ts';
import { rendered } from './names.ts';
import type { TableNames } from './names.ts';

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Statements with the default names of the tables, sent one after another over one connection of a
 * knex.
 */
export interface KnexSession {
  readonly names: TableNames;
  /** The connection is in a transaction that is the caller's. */
  readonly inTransaction: boolean;
  /** The rows of a statement, whose bindings stand where it has `?`. Errors are the driver's. */
  rows(sql: string, ...bindings: readonly unknown[]): Promise<readonly Row[]>;
  /** Any text, in which `?` means nothing. */
  run(sql: string): Promise<void>;
}

/** What a session is made of. */
export interface SessionParts extends Pick<KnexSession, 'names' | 'inTransaction'> {
  readonly client: KnexClient;
  readonly connection: unknown;
}

/** How one database's statements are sent through knex. */
interface SessionRules {
  /** How names are quoted. */
  readonly quote: '"' | '`';
  /** The rows of what knex's client answers. */
  rowsOf(response: unknown): readonly Row[];
  /** A text in which knex leaves each `?` as it is. */
  literal?(sql: string): string;
  /** Runs a text without knex. */
  run?(connection: unknown, sql: string): void;
}

/** What a client of knex is given. */
interface Statement {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** A session over the connection of `parts`. */
export function createKnexSession(parts: SessionParts, rules: SessionRules): KnexSession {
  const { client, connection, names, inTransaction } = parts;
  const { quote, rowsOf, literal = (sql) => sql, run } = rules;
  const send = async (sql: string, bindings: readonly unknown[]): Promise<unknown> => {
    const statement = { sql: rendered(sql, names, quote), bindings };
    const answer = await client.query(connection, statement).catch((error: unknown) => {
      // Knex has written into `statement` what it sent.
      throw withoutStatement(error, shownBy(client, statement));
    });
    return (answer as { readonly response?: unknown }).response;
  };
  return {
    names,
    inTransaction,
    async rows(sql, ...bindings) {
      return rowsOf(await send(sql, bindings));
    },
    async run(sql) {
      if (run === undefined) await send(literal(sql), []);
      else run(connection, rendered(sql, names, quote));
    },
  };
}

/**
 * What knex puts before the message of an error: the statement as it was sent, or with values in
 * place of each `?`.
 */
function shownBy(client: KnexClient, { sql, bindings }: Statement): readonly string[] {
  let index = 0;
  const withValues = sql.replaceAll('?', (mark) =>
    index < bindings.length ? (client._escapeBinding?.(bindings[index++], {}) ?? mark) : mark,
  );
  return [withValues, sql].map((shown) => `${shown} - `);
}

/** `error` as the driver made it: a statement has hundreds of lines, and values. */
function withoutStatement(error: unknown, prefixes: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  const prefix = prefixes.find((each) => error.message.startsWith(each));
  if (prefix !== undefined) {
    error.message = error.message.slice(prefix.length);
    error.stack = (error.stack ?? '').replace(prefix, () => '');
  }
  // mysql2 keeps the statement.
  if ('sql' in error) delete error.sql;
  return error;
}
