import type { Database } from '../sqlite/connection/connection.ts';
import type { SqlClient } from './client.ts';

/** A database of better-sqlite3, libsql or node:sqlite. */
export interface SqliteDatabase {
  prepare(sql: string): object;
  exec(sql: string): unknown;
  close(): unknown;
}

/** What differs from one library to another. */
interface Told {
  /** Whether it is open: better-sqlite3 and libsql, node:sqlite. */
  readonly open?: boolean;
  readonly isOpen?: boolean;
  /** Whether a transaction is open. */
  readonly inTransaction?: boolean;
  readonly isTransaction?: boolean;
  /** The file. */
  readonly name?: unknown;
}

export function isSqliteDatabase(given: unknown): given is SqliteDatabase {
  const { prepare, exec, close } = (given ?? {}) as Partial<SqliteDatabase>;
  return typeof prepare === 'function' && typeof exec === 'function' && typeof close === 'function';
}

/**
 * The one connection of a caller. Whatever is done over it is done at once, so all calls may share
 * it.
 */
export function sqliteClient(given: SqliteDatabase): SqlClient<Database> {
  const database = given as unknown as Database & Told;
  return {
    database: 'sqlite',
    get isTransaction() {
      return database.inTransaction ?? database.isTransaction ?? false;
    },
    max: 1,
    get ended() {
      return (database.open ?? database.isOpen) === false;
    },
    file: typeof database.name === 'string' ? database.name : undefined,
    acquire: async () => database,
    release() {},
    waiting: () => 0,
    // A transaction that is open is its owner's to end.
    discard() {},
  };
}
