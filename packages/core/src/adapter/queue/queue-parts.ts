import type { Busy, Claim, Grant, Wake } from '../../contract.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { Deadline } from '../deadline.ts';
import type { Assignment } from './assignment.ts';

/** An open subscription to the turns of this process. */
export interface Listener {
  /** Resolves while messages still arrive. Called after a silence, while a claim waits. */
  probe(): Promise<unknown>;
  /** Ends the subscription. Later messages are ignored. */
  close(): void;
}

/**
 * Subscribes to the turns of this process.
 * @param heard Call it for each message, with the owner whose turn it is. Without an owner it
 * reports that messages arrive, and with `heardInterval` also that a turn may have come. With
 * `assigned` the backend has granted the key to that owner and removed it from its queue; the next
 * attempt is answered with that grant. A message may be lost: then the next attempt must find the
 * claim as holder.
 * @param lost Call it when no more messages arrive. The queue closes the listener, and subscribes
 * again while a claim waits.
 * @param signal Aborted when the queue abandons this subscription, also during its opening.
 * @throws `LOCK_MISCONFIGURED` where the backend refuses it permanently. Every other error is
 * retried.
 */
export type Listen = (
  heard: (owner?: string, assigned?: Assignment) => void,
  lost: (reason: unknown) => void,
  signal: AbortSignal,
) => Promise<Listener>;

/** A claim that may hold its key, according to one look. */
export interface FoundTurn {
  /** Its owner. Owners of other processes are ignored. */
  readonly owner: string;
  /**
   * The backend has already granted it the key, for at least `validity` ms from the look. The next
   * attempt is answered with that grant, as with one reported by a message.
   */
  readonly assigned?: Pick<Assignment, 'token' | 'validity'> | undefined;
}

/** A query that finds turns where no message reports them. */
export interface Look {
  /** Resolves to the claims of this process that can proceed, or were granted one of `keys`. */
  turns(keys: readonly string[]): Promise<readonly FoundTurn[]>;
  /** Ms until the next look. Read before each look. */
  readonly interval: () => number;
  /**
   * The same while a listener is open, in ms. A message without an owner then triggers a look.
   * `undefined`: no looks while a listener is open.
   */
  readonly heardInterval?: number | undefined;
}

/** A busy answer with the time of the next attempt, in ms. */
export type Waiting = Busy & {
  /** In ms from the answer. */
  readonly retryAfter: number;
};

/** One attempt of a claim, with what an adapter needs to know of other claims of its process. */
export interface Attempt {
  /** The claim that asks for the key. */
  readonly claim: Claim;
  /**
   * `undefined`: the attempt takes no position. Otherwise it takes or refreshes the position of the
   * claim, and also refreshes those of these claims of this process, which wait for the same key. A
   * lapsed position is not restored.
   */
  readonly others: readonly Claim[] | undefined;
  /**
   * An earlier attempt may have taken a position, and none was granted. A hold that the backend has
   * assigned to the claim then has a token that no attempt returned, so this one may raise it above
   * its floor. Every other repeat of a holder keeps its token.
   */
  readonly repeated: boolean;
  /** Claims of this process are in the queue on the key, as far as the backend has reported. */
  readonly awaited: boolean;
  /** The limit of the attempt, in ms. */
  readonly within: number;
}

/** The answer of an attempt. */
export type Attempted = (Grant | Waiting) & {
  /**
   * The owners among `others` that are still in the queue, without news. Each of the others asks
   * for itself. Absent: none, which costs calls and loses no turn.
   */
  readonly kept?: readonly string[] | undefined;
};

/** What an adapter passes to `createQueue`. At least one of `listen` and `look` is required. */
export interface QueueParts {
  /** Clock, timers and randomness of the queue. */
  readonly runtime: Runtime;
  /** Limits a whole `tryAcquire`, the opening of a listener, and each probe. */
  readonly deadline: Deadline;
  /**
   * How long the backend keeps a position without a refresh, in ms. Waiters refresh at a third of
   * it, so `attempt` answers busy with a third of it, rounded down. Only the head of the queue gets
   * less, when a hold ends earlier.
   */
  readonly waiterTtl: number;
  /** One attempt. It calls nothing else of the queue. */
  attempt(attempt: Attempt): Promise<Attempted>;
  /**
   * This many first attempts on one key, of exclusive claims with one ttl and one floor, are
   * decided in their order if sent in one tick. `Infinity`: all, as a connection preserves the
   * order of calls, behind a claim that waits. @default 1
   */
  readonly together?: number | undefined;
  /**
   * A cheaper attempt, made first while no claim of this process is in the queue on the key. It
   * resolves to `undefined` where `attempt` must decide, and returns `undefined` for a claim it
   * cannot take.
   */
  tryFree?(claim: Claim): Promise<Grant | undefined> | undefined;
  /** Subscribes to the turns of this process. Called when the first claim has to wait. */
  readonly listen?: Listen | undefined;
  /** One query that finds the turns of all waiting claims, for when no listener reports them. */
  readonly look?: Look | undefined;
  /** Called with how this process learns of its turns, whenever that is determined again. */
  readonly report?: ((state: 'listening' | 'polling', reason: unknown) => void) | undefined;
}

/** The waiting claims of one provider. */
export interface Queue {
  /** The contract's `tryAcquire`. */
  tryAcquire(claim: Claim, wake?: Wake): Promise<Grant | Busy>;
  /** Whether a claim is in the queue on `key`, as far as the backend has reported: for releases. */
  waitsFor(key: string): boolean;
  /**
   * Forgets a claim: no later message wakes it. The first step of `release`, before any I/O.
   * Returns whether its last attempt was answered busy. A hold assigned to such a claim was not
   * granted to it yet, so a release that frees it returns `false`.
   */
  leave(claim: Claim): boolean;
  /** It is the turn of `owner`, according to an answer to this process. Never synchronous. */
  wake(owner: string, assigned?: Assignment): void;
  /** Wakes every claim a last time, and ends the subscription. Later calls reject with `reason`. */
  close(reason: Error): void;
}
