import type { Busy, Claim, Grant, Wake } from '../../contract.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { Deadline } from '../deadline.ts';
import type { Assignment } from './assignment.ts';

/** An open subscription to the turns of this process. */
export interface Listener {
  /** Resolves while messages still arrive. Called after a silence, while a claim waits. */
  probe(): Promise<unknown>;
  /** Ends the subscription. Later messages are not heard. */
  close(): void;
}

/**
 * Subscribes to the turns of this process.
 * @param heard Call it for each message, with the owner whose turn it is. Without an owner it says
 * that messages arrive, and with `heardInterval` also that a turn may have come. With `assigned`
 * the backend has granted the key to that owner, and the queue answers the next attempt with that
 * grant. The claim is then out of the queue of the backend. A message may be lost: then the next
 * attempt must find the claim as holder.
 * @param lost Call it when no more messages arrive. The queue closes the listener, and subscribes
 * again while a claim waits.
 * @param signal Aborted when the queue gives this subscription up, also while it is being opened.
 * @throws `LOCK_MISCONFIGURED` where the backend refuses it for good. Every other error is retried.
 */
export type Listen = (
  heard: (owner?: string, assigned?: Assignment) => void,
  lost: (reason: unknown) => void,
  signal: AbortSignal,
) => Promise<Listener>;

/** A claim that may hold its key, as far as one look tells. */
export interface FoundTurn {
  /** Its owner. One that is not of this process is passed over. */
  readonly owner: string;
  /**
   * The backend has granted it the key already, and it lasts so many ms from the look at least. The
   * queue answers the next attempt with that grant, as with one that a message told.
   */
  readonly assigned?: Pick<Assignment, 'token' | 'validity'> | undefined;
}

/** A query that finds turns where no message tells them. */
export interface Look {
  /** Resolves to the claims of this process that can go, or were granted one of `keys`. */
  turns(keys: readonly string[]): Promise<readonly FoundTurn[]>;
  /** In how many ms the next look is due. Read before each look. */
  readonly interval: () => number;
  /**
   * The same while a listener hears, in ms. A message without an owner then asks for a look at
   * once. `undefined`: the queue does not look while a listener hears.
   */
  readonly heardInterval?: number | undefined;
}

/** A busy answer that says when the next attempt is due, in ms. */
export type Waiting = Busy & {
  /** In ms from the answer. */
  readonly retryAfter: number;
};

/** One attempt of a claim, with all that an adapter needs to know of the others of its process. */
export interface Attempt {
  /** It asks for the key. */
  readonly claim: Claim;
  /**
   * `undefined`: the attempt takes no place in the queue. Otherwise it takes or keeps the place of
   * the claim, and also keeps those of these claims of this process, which wait for the same key. A
   * place that has lapsed is not brought back.
   */
  readonly others: readonly Claim[] | undefined;
  /**
   * An earlier attempt may have taken a place, and none was granted. What the backend has assigned
   * to the claim then has a token that no attempt was answered with, so this one may raise it above
   * its floor. Every other repeat of a holder keeps its token.
   */
  readonly repeated: boolean;
  /** Claims of this process are in the queue on the key, as far as the backend has answered. */
  readonly awaited: boolean;
  /** The attempt settles within so many ms. */
  readonly within: number;
}

/** The answer of an attempt. */
export type Attempted = (Grant | Waiting) & {
  /**
   * The owners among `others` that are in the queue still, with nothing new for them. Each of the
   * rest asks for itself. Absent: none, which costs calls, and loses no turn.
   */
  readonly kept?: readonly string[] | undefined;
};

/** What an adapter gives to `createQueue`. At least one of `listen` and `look` must be there. */
export interface QueueParts {
  /** Clock, timers and randomness of the queue. */
  readonly runtime: Runtime;
  /** Bounds a whole `tryAcquire`, the opening of a listener, and each probe. */
  readonly deadline: Deadline;
  /**
   * How long the backend keeps a position in the queue without a sign of life, in ms. Waiters give
   * one at a third of it, so `attempt` answers busy with a third of it, rounded down. Only the head
   * of the queue gets less, where a hold ends earlier.
   */
  readonly waiterTtl: number;
  /** One attempt. It asks nothing back. */
  attempt(attempt: Attempt): Promise<Attempted>;
  /**
   * So many first attempts on one key, of exclusive claims with one ttl and one floor, are decided
   * in their order where they are sent in one tick. `Infinity`: all, as a connection keeps the
   * order of calls, behind a claim that waits. @default 1
   */
  readonly together?: number | undefined;
  /**
   * A cheaper attempt, made first while no claim of this process is in the queue on the key. It
   * resolves to `undefined` where `attempt` must decide. It returns `undefined` for a claim that it
   * cannot take.
   */
  tryFree?(claim: Claim): Promise<Grant | undefined> | undefined;
  /** Subscribes to the turns of this process. Called when the first claim has to wait. */
  readonly listen?: Listen | undefined;
  /** One query finds the turns of all claims that wait: for when no listener tells them. */
  readonly look?: Look | undefined;
  /** Told how this process hears of its turns, as often as that is found out again. */
  readonly report?: ((state: 'listening' | 'polling', reason: unknown) => void) | undefined;
}

/** The claims of one provider that wait. */
export interface Queue {
  /** The contract's `tryAcquire`. */
  tryAcquire(claim: Claim, wake?: Wake): Promise<Grant | Busy>;
  /** Whether a claim is in the queue on `key`, as far as the backend has answered: for releases. */
  waitsFor(key: string): boolean;
  /**
   * Forgets a claim: no later message wakes it. The first step of `release`, before any I/O.
   * Returns whether its last attempt was answered busy. What the backend has assigned to such a
   * claim was not granted to it yet, so a release that frees it answers `false`.
   */
  leave(claim: Claim): boolean;
  /** It is the turn of `owner`, as an answer to this process told. Never synchronous. */
  wake(owner: string, assigned?: Assignment): void;
  /** Wakes every claim a last time, and ends the subscription. Later calls reject with `reason`. */
  close(reason: Error): void;
}
