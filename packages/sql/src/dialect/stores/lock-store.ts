import type { Claim } from '@locks/core';
import type { Assignment, FoundTurn, Listener, LockError, Runtime } from '@locks/core/adapter';
import type { TableNames } from '../layout/names.ts';
import type { Store } from './store.ts';

/** The head of a queue that can go now, or was given the key: it is to be told. */
export interface Turn extends FoundTurn {
  readonly process: string;
}

/** What a claim that is going to wait sends with an attempt. */
export interface Queue {
  /** The process to tell when it is its turn. */
  readonly process: string;
  /** Other owners of this process in the queue on this key, shown to be still there. */
  readonly others: readonly string[];
}

export type Attempt =
  | ({ readonly token: bigint } & Told)
  | ({ readonly token: undefined; readonly retryAfter: number } & Told);

/** What an attempt tells of others. */
interface Told {
  readonly turns: readonly Turn[];
  /** Those of this process that it was to keep in the queue, and that are not there. */
  readonly missing?: readonly string[];
}

export interface Released {
  /** This call freed a hold that had not expired, though it may be one that no attempt heard of. */
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
  /** How long the server may work on a statement, in ms: nothing may take effect later. */
  readonly timeout: number;
  /** Whether to listen for turns, or wakes, where the database can tell them. */
  readonly listen: boolean;
  /** Clock, timers and randomness of this process. */
  readonly runtime: Runtime;
}

/**
 * One statement for exclusive claims of one ttl and one floor, whose keys and owners all differ.
 * Each is decided alone, and none waits for the row of another. What became of each claim by its
 * owner. One that is missing was left as it was: another statement decides it, or finds the error.
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
  /** This process, as the tables call it. */
  readonly process: string;
  /**
   * One compare-and-set statement: the token if the key was free and its queue empty, or if the
   * claim holds it exclusively already.
   */
  acquireFree(connection: Connection, claim: Claim): Promise<bigint | undefined>;
  /** Where many keys travel as one statement. */
  readonly each?: EachStore<Connection> | undefined;
  /**
   * Any attempt, decided after the key row was locked; with `queue`, a position in the queue is
   * taken or kept. `repeated`: no attempt of it was granted yet, so a hold that it was given in the
   * queue may get a token above a raised floor.
   * @throws `LOCK_INVALID`
   */
  attempt(connection: Connection, claim: Claim, queue: Queue | undefined, repeated: boolean): Promise<Attempt>;
  /**
   * The first attempts of exclusive claims on one key, with one ttl and one floor, and a place in
   * queue for each that is not granted: in their order, in one statement. What became of each, in
   * the same order.
   */
  enterAll?(connection: Connection, claims: readonly Claim[]): Promise<readonly (Attempt | LockError)[]>;
  renew(connection: Connection, claim: Claim, token: bigint | undefined): Promise<Renewed>;
  /**
   * Gives up the hold, or the position in the queue. `inQueue`: this claim or another one of this
   * process is in the queue, so the key has one.
   */
  release(connection: Connection, claim: Claim, inQueue: boolean): Promise<Released>;
  /**
   * The claims of this process that are first in the queue on one of `keys` and can go, or were
   * given the key, as far as one look tells.
   */
  turns(connection: Connection, keys: readonly string[]): Promise<readonly FoundTurn[]>;
  /** Where a process can be told of its turns. `undefined`: it has to look. */
  readonly listening?: StoreListening<Connection> | undefined;
  /** Tells a process of its turn after the commit, where the database does not. It never throws. */
  wake?(process: string): void;
}

/** How a process is told of its turns. */
export interface StoreListening<Connection = unknown> {
  /** `heard` gets the owner whose turn it is, and what it was given. '': a look may find one. */
  listen(heard: (owner: string, assigned?: Assignment) => void, lost: (reason: unknown) => void): Promise<Listener>;
  /**
   * Sends this process a message about the owner '', which its listener hears if it hears anything.
   */
  echo(connection: Connection): Promise<void>;
  /** Why the echo was not heard, and what to do. */
  readonly unheard: string;
  /** In how many ms to look for turns beside a listener. `undefined`: messages tell all. */
  readonly lookInterval?: number | undefined;
}
