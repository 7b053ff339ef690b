import type { Holder, KeyState, Traits } from '../contract.ts';
import type { Lease } from '../lease.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import type { Work } from './with-lock.ts';

/** One holder of a key, as `inspect` of a `Locks` gives it: all that a release by force needs. */
export interface LockHolder extends Holder {
  readonly key: string;
}

/** The state of one key at one moment. */
export interface LockState extends KeyState {
  readonly holders: readonly LockHolder[];
}

/** What `tryWithLock` came to: whether `work` ran under the lock, and then what it resolved to. */
export type TryResult<T> = { readonly held: true; readonly value: T } | { readonly held: false };

/** Takes locks through one provider. */
export interface Locks extends AsyncDisposable {
  /** The provider's name. */
  readonly name: string;
  readonly traits: Traits;
  /**
   * Takes `key`, runs `work` with the lease, and releases it, whatever happens. Resolves to what `work`
   * resolves to. Keeps the process running until then, unless this `Locks` is closed.
   * @throws what `acquire` throws; what `work` throws; `LOCK_LOST` when the lease was lost before `work`
   * ended, with its `result`, or its error as `cause`. A failed release does not reject.
   */
  withLock<T>(key: string, options: AcquireOptions | undefined, work: Work<T>): Promise<T>;
  /** The same, with the options last or without any. */
  withLock<T>(key: string, work: Work<T>, options?: AcquireOptions): Promise<T>;
  /**
   * As `withLock`, but one attempt unless `wait` says more, and `{ held: false }` where `withLock` would
   * throw `LOCK_TIMEOUT`: `work` did not run. Otherwise `{ held: true, value }` with what `work` resolved to.
   * @throws what `withLock` throws, but for `LOCK_TIMEOUT`.
   */
  tryWithLock<T>(key: string, options: AcquireOptions | undefined, work: Work<T>): Promise<TryResult<T>>;
  tryWithLock<T>(key: string, work: Work<T>): Promise<TryResult<T>>;
  /**
   * Takes `key`, waiting as long as option `wait` says (without limit by default). Waiting keeps the
   * process running; the lease does not, also while it is renewed.
   * @throws `LOCK_TIMEOUT` when others hold it still, `LOCK_UNAVAILABLE` when the backend did not answer in
   * time or gave nothing but errors for a whole ttl, the reason of `signal`, `LOCK_OVERLOADED`,
   * `LOCK_CLOSED`, `LOCK_INVALID`.
   */
  acquire(key: string, options?: AcquireOptions): Promise<Lease>;
  /** As `acquire`, but one attempt unless `wait` says more, and `null` where `acquire` would throw `LOCK_TIMEOUT`. */
  tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null>;
  /**
   * Who holds `key` and how many wait, as the store sees it at this moment.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  inspect(key: string): Promise<LockState>;
  /**
   * The keys that start with `prefix` (by default all) and are held or waited for, in no order. A key that is
   * taken or given back meanwhile may be there or not.
   * @throws `LOCK_INVALID` when the provider cannot list, `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  list(prefix?: string): AsyncIterable<string>;
  /**
   * Releases the hold of another process, which may be gone or hang: for operators. `holder` is one of
   * `inspect`, or its `key`, `owner` and `mode`. `true`: this freed it; `false`: it held nothing any more.
   * A holder that is alive hears of it at its next renewal and works on until then, next to the next
   * holder: only fencing tokens protect what both write.
   * @throws `LOCK_UNAVAILABLE` when the answer is unknown: look again with `inspect`.
   */
  forceRelease(holder: Pick<LockHolder, 'key' | 'owner' | 'mode'>): Promise<boolean>;
  /**
   * Ends everything: waiters reject with `LOCK_CLOSED`, the signals of held leases abort with it, then
   * leases are released, for at most `closeTimeout`. The provider is closed too if `openLocks` made it, or
   * option `closeProvider` says so. Idempotent, never rejects.
   */
  close(): Promise<void>;
}
