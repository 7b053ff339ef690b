/**
 * The members used of a client library: a pool of connections to one database, or a SQLite file.
 * Each library is one file of this folder. The caller's client is never closed, its settings are
 * not changed, and no listener stays on it.
 */
export interface SqlClient<Connection = unknown> {
  /** The database behind it, by the name of its dialect. */
  readonly database: 'postgres' | 'mysql' | 'sqlite';
  /** It is a transaction of the caller, with one connection. */
  readonly isTransaction: boolean;
  /** Its maximum number of connections. */
  readonly max: number;
  /** Its owner has ended it. */
  readonly ended: boolean;
  /** The file of SQLite. */
  readonly file?: string | undefined;
  /** Borrows a connection. Rejects with the library's own errors. */
  acquire(): Promise<Connection>;
  /** The same, synchronously. `undefined`: none is idle. Absent: it has a server. */
  acquireNow?(): Connection | undefined;
  /** Returns `connection`. `broken`: it must not be lent again. */
  release(connection: Connection, broken: boolean): void;
  /** How many requests of all users wait for a connection. `undefined`: not reported. */
  waiting(): number | undefined;
  /** Whether a connection is being opened, as far as reported. */
  opening?(): boolean;
  /** Whether the pool rejected because all of its connections are lent. */
  gaveUp?(error: unknown): boolean;
  /** @throws `LOCK_MISCONFIGURED` for a connection that can never be used. */
  check?(connection: Connection): void;
  /** Whether the library knows that `connection` is unusable. */
  isBroken?(connection: Connection): boolean;
  /** Whether the server has closed `connection`, as far as known. Absent: there is no server. */
  isOver?(connection: Connection): boolean;
  /** Ends `connection` immediately, and cancels its work, on the server too if possible. */
  discard(connection: Connection): void;
  /** Opens a connection outside of the pool. Rejects if that is impossible. */
  connect?(): Promise<Connection>;
  /** Ends what it has opened besides the caller's client. Absent: nothing. */
  close?(): Promise<void>;
}
