import type { ListedKeys } from './listed-keys.ts';
import type { Claim, KeyState, RegisterChange } from '@locks/core';
import type { CallName, LockError } from '@locks/core/adapter';

/**
 * On a server a step of a sweep looks at so many rows for each that it may remove. More take
 * longer, less need more steps.
 */
export const looksPerRemoval = 10;

/** What became of one step of a sweep. */
export interface Swept {
  /** How many rows it removed. */
  readonly removed: number;
  /**
   * The key before the next step, as the dialect writes it; '' for the first step. `undefined`: the
   * sweep is at its end.
   */
  readonly next: string | undefined;
}

/**
 * The locks' tables in one database, for one pool of connections. `Connection` is the driver's
 * type. Each method sends its statements over the connection that it is given, and rejects with the
 * driver's own errors.
 */
export interface TableStore<Connection = unknown> {
  /**
   * The first call for each connection: checks its settings and the tables.
   * @throws `LOCK_MISCONFIGURED` that names the fix when the tables are missing or of another
   * version.
   */
  checkConnection(connection: Connection): Promise<void>;
  /**
   * At most `limit` keys with this prefix that are held or waited for (of texts: that have one), in
   * byte order. `after`: what the list before said to go on with.
   */
  list(connection: Connection, prefix: string, after: string | undefined, limit: number): Promise<ListedKeys>;
  /** The ms since 1970, by the clock of the server. */
  time(connection: Connection): Promise<number>;
  /**
   * One short step of a sweep: removes rows of keys that have been idle for `retention` ms, `limit`
   * of them at most.
   */
  sweep(connection: Connection, retention: number, limit: number, after: string): Promise<Swept>;
  /** The contract's error for one of the driver or of the server. */
  explain(error: unknown, what: CallName, claim?: Pick<Claim, 'key'>): LockError;
}

/** What the stores have that keep holds in columns, with a queue and without one. */
export interface Store<Connection = unknown> extends TableStore<Connection> {
  inspect(connection: Connection, key: string): Promise<KeyState>;
  /** The text of a register. */
  readRegister(connection: Connection, name: string): Promise<string | undefined>;
  /**
   * Changes the text of a register; the two texts differ. `false`: it had another text than `from`,
   * and was not changed.
   */
  changeRegister(connection: Connection, name: string, change: RegisterChange): Promise<boolean>;
}
