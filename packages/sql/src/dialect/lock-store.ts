import type { Claim, KeyState } from '@locks/core';
import type { CallName, Listener, LockError, Runtime } from '@locks/core/adapter';
import type { TableNames } from './names.ts';

/** The head of a line that can go now: it is to be told to try. */
export interface Turn {
  /** The process it is in. */
  readonly process: string;
  readonly owner: string;
}

/** What a claim that is going to wait sends with an attempt. */
export interface Line {
  /** The process to tell when it is its turn. */
  readonly process: string;
  /** Other owners of this process in line on this key, shown to be still there. */
  readonly others: readonly string[];
}

/** What became of an attempt. */
export type Attempt =
  | { readonly token: bigint; readonly turns: readonly Turn[] }
  | { readonly token: undefined; readonly retryAfter: number; readonly turns: readonly Turn[] };

/** What became of a release. */
export interface Released {
  /** This call freed a hold that had not expired. */
  readonly freed: boolean;
  readonly turns: readonly Turn[];
}

/** What became of a renewal. */
export interface Renewed {
  readonly renewed: boolean;
  readonly turns: readonly Turn[];
}

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
   * Behind what the next step begins, as the dialect writes it; '' for the first one. `undefined`:
   * the sweep is at its end.
   */
  readonly next: string | undefined;
}

/** What a store is made of. */
export interface StoreOptions {
  readonly names: TableNames;
  readonly fair: boolean;
  readonly waiterTtl: number;
  /** How long the server may work on a statement, in ms: nothing may take effect later. */
  readonly timeout: number;
  /** Whether to listen for turns where the database can tell them. */
  readonly listen: boolean;
  /** This process, as the tables call it. */
  readonly process: string;
  /** Clock, timers and randomness of this process. */
  readonly runtime: Runtime;
}

/**
 * The locks' tables in one database, for one pool of connections. `Connection` is the driver's
 * type. Each method sends its statements over the connection that it is given, and rejects with the
 * driver's own errors.
 */
export interface LockStore<Connection = unknown> {
  /** For messages. */
  readonly name: string;
  /** Whether processes of other hosts can use it. */
  readonly scope: 'host' | 'network';
  /** In how many ms to look for turns where the database tells none; read before each look. */
  readonly pollInterval: number;
  /**
   * The first call for each connection: checks its settings and the layout of the tables.
   * @throws `LOCK_MISCONFIGURED` that names the fix when the tables are missing or of another
   * version.
   */
  checkConnection(connection: Connection): Promise<void>;
  /**
   * One compare-and-set statement: the token if the key was free and its line empty, or if the
   * claim holds it exclusively already.
   */
  acquireFree(connection: Connection, claim: Claim): Promise<bigint | undefined>;
  /**
   * Any attempt, decided after the key row was locked; with `line`, a place in line is taken or
   * kept.
   * @throws `LOCK_INVALID`
   */
  attempt(connection: Connection, claim: Claim, line: Line | undefined): Promise<Attempt>;
  renew(connection: Connection, claim: Claim, token: bigint | undefined): Promise<Renewed>;
  /** Gives up the hold, or the place in line. */
  release(connection: Connection, claim: Claim): Promise<Released>;
  inspect(connection: Connection, key: string): Promise<KeyState>;
  /**
   * At most `limit` keys with this prefix that are held or waited for, in byte order, after the key
   * `after`.
   */
  list(connection: Connection, prefix: string, after: string | undefined, limit: number): Promise<readonly string[]>;
  /**
   * The owners of this process that are first in line on one of `keys` and can go, as far as one
   * look tells.
   */
  turns(connection: Connection, keys: readonly string[]): Promise<readonly string[]>;
  /**
   * One short step of a sweep: removes rows of keys that have been idle for `retention` ms, `limit`
   * of them at most.
   */
  sweep(connection: Connection, retention: number, limit: number, after: string): Promise<Swept>;
  /**
   * Whether the same call can be sent again because the server has done nothing: a deadlock, a
   * serialization failure, a busy file.
   */
  canRepeat(error: unknown): boolean;
  /**
   * Whether nothing was done because the connection is in a transaction of its user: another
   * connection may not be.
   */
  isInTransaction(error: unknown): boolean;
  /** Whether the connection must not be used again. */
  isBroken(error: unknown): boolean;
  /**
   * Ends the connection now: what it is still doing is given up, on the server too where that is
   * possible.
   */
  discard(connection: Connection): void;
  /** The contract's error for one of the driver or of the server. */
  explain(error: unknown, what: CallName, claim?: Claim): LockError;
  /** Where a process can be told of its turns. `undefined`: it has to look. */
  readonly listen?: ((heard: (owner: string) => void, lost: () => void) => Promise<Listener>) | undefined;
  /**
   * Sends this process a message about the owner '', which its listener hears if it hears anything.
   */
  echo?(connection: Connection): Promise<void>;
}

/** What lending a connection for one call needs to know of a store, whatever its tables are. */
export type ConnectionRules<Connection = unknown> = Pick<
  LockStore<Connection>,
  'name' | 'checkConnection' | 'canRepeat' | 'isInTransaction' | 'isBroken' | 'discard' | 'explain'
>;
