import type { ListedKeys } from './listed-keys.ts';
import type { Claim, KeyState, RegisterChange } from '@locks/core';
import type { CallName, LockError } from '@locks/core/adapter';

/**
 * How many rows a step of a sweep reads per row that it may remove. More take longer, fewer need
 * more steps.
 */
export const looksPerRemoval = 10;

/** The result of one step of a sweep. */
export interface Swept {
  /** The number of removed rows. */
  readonly removed: number;
  /**
   * Where the next step starts, in the dialect's format; '' for the first step. `undefined`: the
   * sweep is complete.
   */
  readonly next: string | undefined;
}

/**
 * The locks' tables in one database, for one pool. `Connection` is the driver's type. Each method
 * sends its statements over the passed connection, and rejects with the driver's own errors.
 */
export interface TableStore<Connection = unknown> {
  /**
   * Called first for each connection: checks its settings and the tables.
   * @throws `LOCK_MISCONFIGURED` with what to do if the tables are missing or of another version.
   */
  checkConnection(connection: Connection): Promise<void>;
  /**
   * At most `limit` keys with this prefix that are held or waited for (for texts: that have one),
   * in byte order. `after`: `next` of the previous page.
   */
  list(connection: Connection, prefix: string, after: string | undefined, limit: number): Promise<ListedKeys>;
  /** The ms since 1970, by the clock of the server. */
  time(connection: Connection): Promise<number>;
  /**
   * One short step of a sweep: removes at most `limit` rows of keys that have been idle for
   * `retention` ms.
   */
  sweep(connection: Connection, retention: number, limit: number, after: string): Promise<Swept>;
  /** The contract's error for one of the driver or of the server. */
  explain(error: unknown, what: CallName, claim?: Pick<Claim, 'key'>): LockError;
}

/** The common part of the stores with holds in columns, with and without a queue. */
export interface Store<Connection = unknown> extends TableStore<Connection> {
  inspect(connection: Connection, key: string): Promise<KeyState>;
  /** The text of a register. */
  readRegister(connection: Connection, name: string): Promise<string | undefined>;
  /**
   * Changes the text of a register; the two texts differ. `false`: its text was not `from`, and is
   * unchanged.
   */
  changeRegister(connection: Connection, name: string, change: RegisterChange): Promise<boolean>;
}
