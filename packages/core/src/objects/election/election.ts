import type { Lease } from '../../lease.ts';
import type { LockState } from '../../lock-state.ts';
import type { StopOptions, WhenLeadingOptions } from './options.ts';

/** The leader in one term. */
export interface Leader {
  /** `<label>/<unique>`: different in each term. */
  readonly owner: string;
  /** The label of its process: option `label` of its client, by default `host:pid`. */
  readonly label: string;
  /** The fencing token of the term, if the store reports it. */
  readonly token: bigint | undefined;
}

/** Shows who leads under a key, to observers. */
export interface Leadership extends AsyncIterable<Leader | null> {
  /** The key of the election. */
  readonly key: string;
  /**
   * The current leader, as the store sees it; `null`: none.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  leader(): Promise<Leader | null>;
  /**
   * As `inspect` of the client: who leads, and how many candidates wait.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  inspect(): Promise<LockState>;
  /**
   * Yields the current leader, then each change that it observes, once and in order. `null`: no
   * leader. It polls only when asked for the next change, every `poll` ms. It continues through an
   * outage, and ends when its client is closed.
   */
  [Symbol.asyncIterator](): AsyncIterator<Leader | null>;
}

/** A candidate: it leads, or waits for its turn. */
export interface Election extends Leadership, AsyncDisposable {
  /** Whether it certainly leads now. */
  readonly leading: boolean;
  /**
   * Ends the term: the signal of its lease aborts with `LOCK_CLOSED`, `lead` ends, and the next
   * candidate leads. It competes again after option `cooldown`. Resolves to `true` when the lease
   * is released. `false`: it does not lead, or `lead` has not ended within `drain` of its client.
   */
  resign(): Promise<boolean>;
  /**
   * Resolves with the lease of its term when it leads, immediately if it does.
   * @throws `LOCK_CLOSED` when the candidacy has ended, and the reason of option `signal`.
   */
  whenLeading(options?: WhenLeadingOptions): Promise<Lease>;
  /**
   * Resigns, and ends the candidacy. Resolves when `lead` has ended, or after `drain`: then the
   * lease is released, and `lead` may still run.
   * @throws `LOCK_INVALID` for a wrong option.
   */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Resolves when the candidacy has ended: after `stop`, or with its client, even if `lead` did not
   * end in time. In `lead` itself: when it was asked to stop.
   * @throws `LOCK_MISCONFIGURED` and `LOCK_INVALID`, where the provider refuses its claims.
   */
  readonly ended: Promise<void>;
}

/** The work of a leader. The term ends with it. It should end soon after `lease.signal` aborts. */
export type Lead = (lease: Lease) => unknown;
