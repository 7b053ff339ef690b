/**
 * The part of a knex instance that is used, so that several majors fit. It is never destroyed, and
 * its configuration is not changed.
 */
export interface KnexInstance {
  readonly client: KnexClient;
  /** Only a transaction has it. */
  readonly isTransaction?: boolean | undefined;
}

/** The part of knex that hands out connections of its pool. */
export interface KnexClient {
  /** `pg`, `mysql2`, `better-sqlite3`, … */
  readonly driverName: string;
  /** Of the pool; rejects after the pool's own timeout, a minute by default. */
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<unknown>;
  /**
   * knex's own pool tells how many wait for a connection, and its maximum; one that it was given
   * may not.
   */
  readonly pool?:
    | {
        readonly max?: number;
        readonly destroyed?: boolean;
        numPendingAcquires?(): number;
        numPendingCreates?(): number;
      }
    | undefined;
  /** Of SQLite. */
  readonly connectionSettings?: { readonly filename?: unknown } | undefined;
  /**
   * Sends one statement, whose bindings stand where it has `?`; it resolves to an object with what
   * the driver answered.
   */
  query(
    connection: unknown,
    statement: { readonly sql: string; readonly bindings?: readonly unknown[] },
  ): Promise<unknown>;
  /** A value as knex writes it into the message of an error. */
  _escapeBinding?(value: unknown, context: object): string;
  /** `connectionPool`: one that was made elsewhere. */
  readonly config?: { readonly connectionPool?: unknown } | undefined;
  /** Outside of the pool. */
  acquireRawConnection(): Promise<unknown>;
}
