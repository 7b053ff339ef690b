import type { Claim } from '@locks/core';
import type { Assignment, FoundTurn, Listener, LockError, Runtime } from '@locks/core/adapter';
import type { TableNames } from '../layout/names.ts';
import type { Store } from './store.ts';

/** The head of a queue that can proceed, or was given the key, and must be notified. */
export interface Turn extends FoundTurn {
  readonly process: string;
}

/** What a claim that will wait sends with an attempt. */
export interface Queue {
  /** The process to notify of its turn. */
  readonly process: string;
  /** Other owners of this process in the queue on this key, to be kept in it. */
  readonly others: readonly string[];
}

export type Attempt =
  | ({ readonly token: bigint } & Told)
  | ({ readonly token: undefined; readonly retryAfter: number } & Told);

/** What an attempt reports about others. */
interface Told {
  readonly turns: readonly Turn[];
  /** Those of `others` that are no longer in the queue. */
  readonly missing?: readonly string[];
}

export interface Released {
  /**
   * It freed a hold that had not expired, though perhaps one that was never reported to an attempt.
   */
  readonly freed: boolean;
  readonly turns: readonly Turn[];
}

export interface Renewed {
  readonly renewed: boolean;
  readonly turns: readonly Turn[];
}

export interface StoreOptions {
  readonly names: TableNames;
  readonly waiterTtl: number;
  /** Time limit of a statement on the server, in ms: nothing may take effect later. */
  readonly timeout: number;
  /** Whether to listen for turns or wakes, if the database supports it. */
  readonly listen: boolean;
  /** Clock, timers and randomness of this process. */
  readonly runtime: Runtime;
}

/**
 * One statement for exclusive claims with the same ttl and floor, whose keys and owners all differ.
 * Each is decided separately, and none waits for another's row. Returns results by owner. A missing
 * claim was not changed: another statement decides it, or reports the error.
 */
export interface EachStore<Connection> {
  /** The tokens of keys that were free, without a queue, or held by their claims already. */
  acquire(connection: Connection, claims: readonly Claim[]): Promise<ReadonlyMap<string, bigint>>;
  renew(connection: Connection, claims: readonly Claim[]): Promise<ReadonlyMap<string, Renewed>>;
  /** Those that freed a hold without a queue. */
  release(connection: Connection, claims: readonly Claim[]): Promise<ReadonlyMap<string, Released>>;
}

/** The tables of the layout with routines: shared holds, and a queue. */
export interface LockStore<Connection = unknown> extends Store<Connection> {
  /** The name of this process in the tables. */
  readonly process: string;
  /**
   * One compare-and-set statement: the token if the key was free with an empty queue, or if the
   * claim holds it exclusively already.
   */
  acquireFree(connection: Connection, claim: Claim): Promise<bigint | undefined>;
  /** Statements for many keys. */
  readonly each?: EachStore<Connection> | undefined;
  /**
   * Any attempt, decided after locking the key row; with `queue`, a position in the queue is taken
   * or kept. `repeated`: no attempt was granted yet, so a hold assigned in the queue may get a
   * token above a raised floor.
   * @throws `LOCK_INVALID`
   */
  attempt(connection: Connection, claim: Claim, queue: Queue | undefined, repeated: boolean): Promise<Attempt>;
  /**
   * The first attempts of exclusive claims on one key, with the same ttl and floor, in one
   * statement; each that is not granted gets a position in the queue. Returns the results in the
   * same order.
   */
  enterAll?(connection: Connection, claims: readonly Claim[]): Promise<readonly (Attempt | LockError)[]>;
  renew(connection: Connection, claim: Claim, token: bigint | undefined): Promise<Renewed>;
  /**
   * Gives up the hold, or the position in the queue. `inQueue`: a claim of this process is in the
   * queue, so the key has one.
   */
  release(connection: Connection, claim: Claim, inQueue: boolean): Promise<Released>;
  /**
   * The claims of this process that are first in the queue on one of `keys` and can proceed, or
   * were given the key.
   */
  turns(connection: Connection, keys: readonly string[]): Promise<readonly FoundTurn[]>;
  /** How a process is notified of its turns. `undefined`: it polls. */
  readonly listening?: StoreListening<Connection> | undefined;
  /** Notifies a process after the commit, if the database does not. Never throws. */
  wake?(process: string): void;
}

/** How a process is notified of its turns. */
export interface StoreListening<Connection = unknown> {
  /** `heard` gets the owner whose turn it is, and what it was given. '': poll for it. */
  listen(heard: (owner: string, assigned?: Assignment) => void, lost: (reason: unknown) => void): Promise<Listener>;
  /** Sends this process a message about the owner '', to prove that its listener works. */
  echo(connection: Connection): Promise<void>;
  /** Why the echo was not received, and what to do. */
  readonly unheard: string;
  /** In ms: how often to poll besides listening. `undefined`: messages are reliable. */
  readonly lookInterval?: number | undefined;
  /** Resolves when closed listeners have ended. `undefined`: they end immediately. */
  ended?(): Promise<unknown>;
}
