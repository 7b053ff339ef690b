import type { TableNames } from './names.ts';

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Statements with the default names of the tables, sent one at a time over one connection: for
 * migrations and guards.
 */
export interface SqlSession {
  readonly names: TableNames;
  /** The connection is in a transaction of the caller. */
  readonly inTransaction: boolean;
  /** The rows of a statement, whose bindings replace `?`. Errors are the driver's. */
  rows(sql: string, ...bindings: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Whether a transaction was open after the last statement without rows, or begins with the next
   * one, if the answer reports it.
   */
  readonly leftOpen?: boolean | undefined;
  /** Any text, without bindings. */
  run(sql: string): Promise<void>;
}

export interface SessionParts<Connection = unknown> extends Pick<SqlSession, 'names' | 'inTransaction'> {
  readonly connection: Connection;
}
