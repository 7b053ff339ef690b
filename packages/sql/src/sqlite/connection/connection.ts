/** The members used of a connection: the interface of better-sqlite3 and libsql. */
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
   * libsql leaves a statement open that was not read to its end, as by `get`, and its transaction
   * with it.
   */
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): unknown;
  /** In node:sqlite, which otherwise refuses numbers above 2^53. */
  setReadBigInts?(enabled: boolean): unknown;
}

/** By their names in the statement. */
export type Parameters = Readonly<Record<string, string | number | bigint | null>>;

/** A row. Values that the setting `safeIntegers` makes bigints are converted where used. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * A number of a row, perhaps a bigint; the largest are µs since 1970, which a double represents
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
