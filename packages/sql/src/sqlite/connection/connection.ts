/** The part of a connection that is used: the interface of better-sqlite3, which libsql has too. */
export interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): unknown;
}

/** A prepared statement. */
export interface Statement {
  /** It returns rows. */
  readonly reader?: boolean | undefined;
  /**
   * libsql leaves a statement open that was not read to its end, as `get` does, and its transaction
   * with it.
   */
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): unknown;
  /** Of node:sqlite, which refuses numbers above 2^53 otherwise. */
  setReadBigInts?(enabled: boolean): unknown;
}

/** By the names they have in the statement. */
export type Parameters = Readonly<Record<string, string | number | bigint | null>>;

/** A row: what a caller's setting `safeIntegers` makes bigints is a number where it is used. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A number of a row, which may be a bigint; the largest are µs since 1970, which a double holds
 * exactly.
 */
export function numberOf(value: unknown): number {
  return Number(value);
}

/** A text of a row, '' for null. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Ends a transaction that the user of `connection` has left open; its pool closes it. */
export function discard(connection: Database): void {
  try {
    // libsql would keep the transaction until the connection is collected.
    connection.exec('ROLLBACK');
  } catch {
    // There was none.
  }
}
