/**
 * The part of a client library that is used: a pool of connections to one database, or a file of
 * SQLite. Each library is one file of this folder. A client of the caller's is never closed, its
 * settings are not changed, and no listener of this package stays at it.
 */
export interface SqlClient<Connection = unknown> {
  /** The database behind it, by the name of its dialect. */
  readonly database: 'postgres' | 'mysql' | 'sqlite';
  /** It is a transaction of the caller's, so it has one connection. */
  readonly isTransaction: boolean;
  /** How many connections it has at most. */
  readonly max: number;
  /** Its owner has ended it. */
  readonly ended: boolean;
  /** The file of SQLite. */
  readonly file?: string | undefined;
  /**
   * A connection that is lent to no other until it is given back. Rejects with the library's own
   * errors.
   */
  acquire(): Promise<Connection>;
  /** The same at once. `undefined`: none is idle. Absent: it has a server. */
  acquireNow?(): Connection | undefined;
  /** Gives `connection` back. `broken`: it must not be lent again. */
  release(connection: Connection, broken: boolean): void;
  /**
   * How many requests wait for a connection, of all its users. `undefined`: the library does not
   * tell.
   */
  waiting(): number | undefined;
  /** Whether a connection is being opened, as far as the library tells. */
  opening?(): boolean;
  /** Whether the pool rejected because all of its connections are lent. */
  gaveUp?(error: unknown): boolean;
  /** @throws `LOCK_MISCONFIGURED` for a connection that can never be used. */
  check?(connection: Connection): void;
  /** Whether the library knows that `connection` is of no use. */
  isBroken?(connection: Connection): boolean;
  /** Whether its server has ended `connection`, as far as is known. Absent: it has no server. */
  isOver?(connection: Connection): boolean;
  /**
   * Ends `connection` now: what it still does is given up, on the server too where that is
   * possible.
   */
  discard(connection: Connection): void;
  /** Opens a connection beside the pool. Rejects where that cannot be. */
  connect?(): Promise<Connection>;
  /** Ends what it has opened beside the client of the caller's. Absent: it has opened nothing. */
  close?(): Promise<void>;
}
