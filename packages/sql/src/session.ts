import { checkNames, kindOf } from './kinds.ts';
import type { Kind } from './kinds.ts';
import type { KnexClient, KnexInstance } from './knex.ts';
import { rendered } from './names.ts';
import type { TableNames } from './names.ts';

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** Statements with the default names of the tables, sent one after another over one connection of a knex. */
export interface Session {
  readonly kind: Kind;
  readonly names: TableNames;
  /** The connection is in a transaction that is the caller's. */
  readonly inTransaction: boolean;
  /** The rows of a statement, whose bindings stand where it has `?`. */
  rows(sql: string, ...bindings: readonly unknown[]): Promise<readonly Row[]>;
  /** Any text, in which `?` means nothing. */
  run(sql: string): Promise<void>;
}

/** What `work` resolves to, with a session over a connection of `knex`, or over that of a transaction. */
export async function withSession<T>(
  knex: KnexInstance,
  names: TableNames,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const kind = kindOf(knex);
  checkNames(kind, names);
  const { client } = knex;
  const connection = await client.acquireConnection();
  try {
    return await work(createSession({ client, connection, kind, names, inTransaction: knex.isTransaction === true }));
  } finally {
    // A transaction keeps its connection nevertheless.
    await client.releaseConnection(connection);
  }
}

/** What a session is made of. */
interface Parts extends Pick<Session, 'kind' | 'names' | 'inTransaction'> {
  readonly client: KnexClient;
  readonly connection: unknown;
}

/** What a client of knex is given. */
interface Statement {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** What better-sqlite3 and libsql have. */
interface SqliteConnection {
  exec(sql: string): unknown;
}

/** A session over `connection`. Errors are the driver's. */
function createSession({ client, connection, kind, names, inTransaction }: Parts): Session {
  const send = async (sql: string, bindings: readonly unknown[]): Promise<unknown> => {
    const statement = { sql: rendered(sql, names, kind.quote), bindings };
    const answer = await client.query(connection, statement).catch((error: unknown) => {
      // Knex has written into `statement` what it sent.
      throw withoutStatement(error, shownBy(client, statement));
    });
    return (answer as { readonly response?: unknown }).response;
  };
  return {
    kind,
    names,
    inTransaction,
    async rows(sql, ...bindings) {
      return rowsOf(await send(sql, bindings));
    },
    async run(sql) {
      // libsql leaves a prepared statement open that found the file busy, and the next COMMIT fails for it.
      if (kind.name === 'sqlite') (connection as SqliteConnection).exec(rendered(sql, names, kind.quote));
      // Only the client of Postgres gives every question mark a number, and takes the backslash away.
      else await send(kind.name === 'postgres' ? sql.replaceAll('?', '\\?') : sql, []);
    },
  };
}

/** `pg` answers with an object, `mysql2` with rows and fields, SQLite with rows. */
function rowsOf(response: unknown): readonly Row[] {
  if (!Array.isArray(response)) return (response as { readonly rows?: readonly Row[] }).rows ?? [];
  return (Array.isArray(response[0]) ? response[0] : response) as readonly Row[];
}

/** What knex puts before the message of an error: the statement as it was sent, or with values in place of each `?`. */
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
