import type { TableNames } from './names.ts';

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Statements with the default names of the tables, sent one after another over one connection: by
 * migrations and by guards.
 */
export interface SqlSession {
  readonly names: TableNames;
  /** The connection is in a transaction that is the caller's. */
  readonly inTransaction: boolean;
  /** The rows of a statement, whose bindings stand where it has `?`. Errors are the driver's. */
  rows(sql: string, ...bindings: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Whether a transaction was open after the last statement without rows, or begins with the next
   * one, where an answer says so.
   */
  readonly leftOpen?: boolean | undefined;
  /** Any text, in which `?` means nothing. */
  run(sql: string): Promise<void>;
}

export interface SessionParts<Connection = unknown> extends Pick<SqlSession, 'names' | 'inTransaction'> {
  readonly connection: Connection;
}
