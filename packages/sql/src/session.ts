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

/** What better-sqlite3 and libsql have. */
interface SqliteConnection {
  exec(sql: string): unknown;
}

/** A session over `connection`. Errors are the driver's. */
function createSession({ client, connection, kind, names, inTransaction }: Parts): Session {
  const send = async (sql: string, bindings: readonly unknown[]): Promise<unknown> => {
    const answer = await client
      .query(connection, { sql: rendered(sql, names, kind.quote), bindings })
      .catch((error: unknown) => {
        throw withoutStatement(error, sql);
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

/** Knex puts the statement before the message of an error: hundreds of lines, and values. */
function withoutStatement(error: unknown, sql: string): unknown {
  if (error instanceof Error && error.message.startsWith(sql.slice(0, 10))) {
    const end = error.message.lastIndexOf(' - ');
    if (end > 0) error.message = error.message.slice(end + 3);
  }
  return error;
}
