import type { Mode } from './contract.ts';

/** A snapshot of a lease as data, as `JSON.stringify` and `console.log` show it. */
export interface LeaseRecord {
  /** The key that is locked. */
  readonly key: string;
  /** The owner: `<label>/<unique>`. */
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
 * A lock that is held until it is released or lost. It does not keep the process running;
 * `withLock` does.
 */
export interface Lease extends AsyncDisposable {
  /** The key that is locked. */
  readonly key: string;
  /** The owner, `<label>/<unique>`, as `inspect` and the store show it. */
  readonly owner: string;
  /** Whether others may hold the key as well: `exclusive` or `shared`. */
  readonly mode: Mode;
  /**
   * The fencing token, higher than those of all earlier holders. Pass it to the resource, which
   * should reject lower ones: a paused holder may act after its lease has ended.
   */
  readonly token: bigint;
  /**
   * Aborted when the lease is lost or the client is closed, before the server frees the lock. Its
   * reason is a `LockError` (`LOCK_LOST`, `LOCK_CLOSED`). Not aborted by `release`.
   */
  readonly signal: AbortSignal;
  /**
   * Ms that are certainly left: counted from before the send, less a margin for clock drift (1 %
   * and 2 ms). 0 when the lease has ended.
   */
  readonly remaining: number;
  /**
   * Whether the lease is certainly held now, by a comparison of clocks. Once false, always false.
   */
  readonly held: boolean;
  /**
   * Restarts the ttl now.
   * @throws `LOCK_LOST` when it was lost. `LOCK_UNAVAILABLE` when the answer is unknown; `held`
   * says whether it is still held. `LOCK_INVALID` after `release`.
   */
  renew(): Promise<void>;
  /**
   * Makes an exclusive lease shared without a gap: waiting sharers are granted, and the token
   * stays. No effect on a shared lease. It cannot be reversed.
   * @throws `LOCK_LOST` when it was lost. `LOCK_UNAVAILABLE` when the answer is unknown: `mode` is
   * `shared` then, and the next renewal asks again. `LOCK_INVALID` after `release`, where the
   * provider has no shared mode, and where a `reentrant` lease has more than one hold.
   */
  downgrade(): Promise<void>;
  /**
   * Ends the lease here without a release. Resolves to a text with which another process continues
   * it: `resume` of its client, within a ttl. Owner and token stay. The text is as powerful as the
   * lease: give it to that process only.
   * @throws `LOCK_LOST` when it was lost. `LOCK_UNAVAILABLE` when the answer is unknown; `held`
   * says whether it is still held. `LOCK_INVALID` after `release`, where the provider has sessions,
   * for several keys or permits as one lease, and where a `reentrant` lease has more than one hold.
   */
  transfer(): Promise<string>;
  /**
   * Releases the lock. `true`: this call freed it. `false`: it was lost before. A repeated call
   * returns the same. After a rejection it awaits the retries: `false` may then mean that the first
   * one freed it.
   * @throws `LOCK_UNAVAILABLE` when the answer is unknown, or does not arrive within 1 000 ms after
   * the end of the ttl. The release is then retried in the background until the ttl ends.
   */
  release(): Promise<boolean>;
  /** Releases; never rejects. For `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** The lease as data, for logs. `console.log` shows the same. */
  toJSON(): LeaseRecord;
}
