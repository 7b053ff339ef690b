import type { Lease } from '../../lease.ts';
import type { LockState } from '../../lock-state.ts';
import type { StopOptions, WhenLeadingOptions } from './options.ts';

/** Who leads, in one term. */
export interface Leader {
  /** `<label>/<unique>`: another one in each term. */
  readonly owner: string;
  /** What its process is called: option `label` of its `Locks`, by default `host:pid`. */
  readonly label: string;
  /** The fencing token of the term, if the store tells it. */
  readonly token: bigint | undefined;
}

/** Who leads under a key, for those who only want to know. */
export interface Leadership extends AsyncIterable<Leader | null> {
  /** The key of the election. */
  readonly key: string;
  /**
   * Who leads at this moment, as the store sees it; `null` where no process does.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  leader(): Promise<Leader | null>;
  /**
   * As `inspect` of `Locks`: who leads, and how many candidates wait.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  inspect(): Promise<LockState>;
  /**
   * Gives who leads now, and then each change that it sees, once and in order. `null`: no process
   * leads. It looks when it is asked for the next change, every `poll` ms. It goes on through an
   * outage, and ends when its `Locks` is closed.
   */
  [Symbol.asyncIterator](): AsyncIterator<Leader | null>;
}

/** A candidate: it leads, or waits for its turn. */
export interface Election extends Leadership, AsyncDisposable {
  /** Whether it certainly leads at this moment. */
  readonly leading: boolean;
  /**
   * Ends the term: the signal of its lease aborts with `LOCK_CLOSED`, `lead` ends, and the next
   * candidate leads. It stands again after option `cooldown`. Resolves to `true` when the lease is
   * released. `false`: it does not lead, or `lead` has not ended within `drain` of its `Locks`.
   */
  resign(): Promise<boolean>;
  /**
   * Resolves with the lease of its term when it leads, at once where it does.
   * @throws `LOCK_CLOSED` when it stands no more, and the reason of option `signal`.
   */
  whenLeading(options?: WhenLeadingOptions): Promise<Lease>;
  /**
   * Resigns, and does not stand again. Resolves when `lead` has ended, or has had `drain`: then the
   * lease is released, and `lead` may still run.
   * @throws `LOCK_INVALID` for a wrong option.
   */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Resolves when the candidate does not stand any more: after `stop`, or with its `Locks`, also
   * where `lead` did not end in time. In `lead` itself: when it was asked to stop.
   * @throws `LOCK_MISCONFIGURED` and `LOCK_INVALID`, where the provider refuses its claims.
   */
  readonly ended: Promise<void>;
}

/** What a leader does. The term ends with it. It should end soon after `lease.signal` aborts. */
export type Lead = (lease: Lease) => unknown;
