/**
 * The part of a connection of mysql2 that is used: its interface of callbacks.
 */
export interface MysqlConnection {
  execute(
    options: ExecuteOptions,
    values: readonly Value[],
    done: (error: Error | null, answer: unknown) => void,
  ): unknown;
  /** With the protocol of texts, which knows each statement. */
  query(options: QueryOptions, done: (error: Error | null, answer: unknown) => void): unknown;
  destroy(): void;
  /** Says goodbye. */
  end?(done: () => void): unknown;
  readonly stream?: { destroy(): unknown; unref?(): unknown; readonly readable?: boolean } | undefined;
}

/**
 * Numbers go as decimal text and bytes as hexadecimal: neither the options of the connection nor
 * its character set matter to these.
 */
export type Value = string | null;

/** They hold for these statements, whatever the owner of the pool has set. */
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
