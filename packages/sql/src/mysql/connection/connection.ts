/** The members used of a mysql2 connection: its callback interface. */
export interface MysqlConnection {
  execute(
    options: ExecuteOptions,
    values: readonly Value[],
    done: (error: Error | null, answer: unknown) => void,
  ): unknown;
  /** With the text protocol, which supports every statement. */
  query(options: QueryOptions, done: (error: Error | null, answer: unknown) => void): unknown;
  destroy(): void;
  /** Closes it gracefully. */
  end?(done: () => void): unknown;
  readonly stream?: { destroy(): unknown; unref?(): unknown; readonly readable?: boolean } | undefined;
}

/**
 * Numbers are decimal text and bytes hexadecimal: independent of the options and character set of
 * the connection.
 */
export type Value = string | null;

/** They apply to these statements, whatever the owner of the pool has set. */
interface ExecuteOptions {
  readonly sql: string;
  readonly typeCast: true;
  readonly rowsAsArray: false;
  readonly nestTables: false;
}

interface QueryOptions extends ExecuteOptions {
  readonly values: readonly unknown[];
}

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>;
