import type { Mode } from './contract.ts';

/** What a lease is at one moment, as data: what `JSON.stringify` and `console.log` show of it. */
export interface LeaseRecord {
  /** The key that is locked. */
  readonly key: string;
  /** Who holds it: `<label>/<unique>`. */
  readonly owner: string;
  /** Whether others may hold the key as well. */
  readonly mode: Mode;
  /** The fencing token as decimal digits: JSON has no `bigint`. */
  readonly token: string;
  /** Whether it was certainly held at that moment. */
  readonly held: boolean;
  /** Whole ms. */
  readonly remaining: number;
}

/**
 * A lock that is held, until it is released or lost. It does not keep the process running;
 * `withLock` does.
 */
export interface Lease extends AsyncDisposable {
  /** The key that is locked. */
  readonly key: string;
  /** `<label>/<unique>`: who holds it, as `inspect` and the store show it. */
  readonly owner: string;
  /** Whether others may hold the key as well: `exclusive` or `shared`. */
  readonly mode: Mode;
  /**
   * The fencing token, which is higher than those of all earlier holders. Hand it to the resource,
   * and let the resource refuse lower ones. A holder that was paused may act after its lease has
   * ended.
   */
  readonly token: bigint;
  /**
   * Aborted when the lease is lost or its `Locks` is closed, before the server lets go. Its reason
   * is a `LockError` (`LOCK_LOST`, `LOCK_CLOSED`). Not aborted by `release`.
   */
  readonly signal: AbortSignal;
  /**
   * Ms that are certainly left: counted from before the send, less a margin for drift (1 % and 2
   * ms). 0 when the lease has ended.
   */
  readonly remaining: number;
  /**
   * Whether the lease is certainly held at this moment: a comparison of clocks, not a flag. Once
   * false, false for ever.
   */
  readonly held: boolean;
  /**
   * Restarts the ttl now.
   * @throws `LOCK_LOST` when it was lost. `LOCK_UNAVAILABLE` when the answer is unknown; `held`
   * says whether it is still held. `LOCK_INVALID` after `release`.
   */
  renew(): Promise<void>;
  /**
   * Makes an exclusive lease shared, without a moment in between at which others could take it:
   * sharers that wait get in, and the token stays. A shared lease stays as it is. There is no way
   * back but `release`.
   * @throws `LOCK_LOST` when it was lost. `LOCK_UNAVAILABLE` when the answer is unknown: `mode` is
   * `shared` then, and the next renewal asks again. `LOCK_INVALID` after `release`, where the
   * provider has no shared mode, and where a `reentrant` lease has more than one hold.
   */
  downgrade(): Promise<void>;
  /**
   * Ends the lease here without a release, and gives a text with which another process goes on with
   * it: `resume` of its `Locks`, within a ttl. It keeps its owner and its token. The text is as
   * good as the lease: give it to that process alone.
   * @throws `LOCK_LOST` when it was lost. `LOCK_UNAVAILABLE` when the answer is unknown; `held`
   * says whether it is still held. `LOCK_INVALID` after `release`, where the provider has sessions,
   * for several keys or permits as one lease, and where a `reentrant` lease has more than one hold.
   */
  transfer(): Promise<string>;
  /**
   * Gives the lock back. `true`: this freed it. `false`: it was lost before. Repeating it answers
   * the same. After a rejection it waits for the repetitions: `false` may then mean that the first
   * one freed it.
   * @throws `LOCK_UNAVAILABLE` when the answer is unknown. The release is then repeated in the
   * background until the ttl is over. Also when there is no answer 1 000 ms after the end of the
   * ttl.
   */
  release(): Promise<boolean>;
  /** Releases; never rejects. For `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** The lease as data, for logs. `console.log` shows the same. */
  toJSON(): LeaseRecord;
}
