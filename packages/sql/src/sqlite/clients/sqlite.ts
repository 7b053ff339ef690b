import { misconfigured } from '@locks/core/adapter';
import type { Database, Row } from '../connection/connection.ts';
import type { SqlClient } from '../../dialect/pools/client.ts';
import { textOf } from '../../dialect/errors/call-error.ts';

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
 * The same, for one whose answers suit the locks.
 * @throws `LOCK_MISCONFIGURED` for another library, or options that change its answers.
 */
export function checkedSqliteClient(given: SqliteDatabase): SqlClient<Database> {
  const client = sqliteClient(given);
  if (!client.ended) checkAnswers(given as unknown as Database);
  return client;
}

function checkAnswers(database: Database): void {
  let why = 'its rows have no names';
  try {
    // libsql before 0.4 throws.
    database.exec('SELECT 1');
    const [row] = database.prepare('SELECT :one AS one').all({ one: 1 }) as Row[];
    if (Number(row?.['one']) === 1) return;
  } catch (error) {
    why = textOf(error);
  }
  throw misconfigured(
    '@locks/sql',
    `it needs a database of better-sqlite3, libsql or node:sqlite with default rows and named parameters, and this one answers differently (${why})`,
  );
}

/** The one connection of a caller. Everything over it is synchronous, so all calls may share it. */
export function sqliteClient(given: SqliteDatabase): SqlClient<Database> {
  const database = given as unknown as Database & Told;
  const isEnded = (): boolean => (database.open ?? database.isOpen) === false;
  return {
    database: 'sqlite',
    // libsql ends the process if a closed database is queried.
    get isTransaction() {
      return !isEnded() && (database.inTransaction ?? database.isTransaction ?? false);
    },
    max: 1,
    get ended() {
      return isEnded();
    },
    file: typeof database.name === 'string' ? database.name : undefined,
    acquire: async () => database,
    acquireNow: () => database,
    release() {},
    waiting: () => 0,
    // An open transaction is its owner's to end.
    discard() {},
  };
}
