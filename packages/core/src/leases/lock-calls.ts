import type { Lease } from '../lease.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import type { Work } from './hold/with-lock.ts';

/** The result of `tryWithLock`: whether `work` ran under the lock, and what it resolved to. */
export type TryResult<T> =
  | {
      readonly held: true;
      /** What `work` resolved to. */
      readonly value: T;
    }
  | { readonly held: false };

/** The calls that take a key. */
export interface LockCalls {
  /**
   * Takes `key`, runs `work` with the lease, and always releases it. Resolves to what `work`
   * resolves to. Keeps the process running until then, unless the client is closed.
   * @throws what `acquire` throws, and what `work` throws. `LOCK_LOST` when the lease was lost
   * before `work` ended, with its `result`, or its error as `cause`. A failed release does not
   * reject.
   */
  withLock<T>(key: string, options: AcquireOptions | undefined, work: Work<T>): Promise<T>;
  /** The same, with the options last or without any. */
  withLock<T>(key: string, work: Work<T>, options?: AcquireOptions): Promise<T>;
  /**
   * As `withLock`, but one attempt unless `wait` says more. Where `withLock` would throw
   * `LOCK_TIMEOUT`, `work` does not run and the result is `{ held: false }`. Otherwise it is
   * `{ held: true, value }` with the result of `work`.
   * @throws what `withLock` throws, except `LOCK_TIMEOUT`.
   */
  tryWithLock<T>(key: string, options: AcquireOptions | undefined, work: Work<T>): Promise<TryResult<T>>;
  tryWithLock<T>(key: string, work: Work<T>): Promise<TryResult<T>>;
  /**
   * Takes `key`, waiting up to `wait` ms (by default without limit). Waiting keeps the process
   * running; the lease does not, even while it is renewed.
   * @throws `LOCK_TIMEOUT` when others still hold it. `LOCK_UNAVAILABLE` when the backend did not
   * answer in time, or only with errors for a whole ttl. The reason of `signal`, `LOCK_OVERLOADED`,
   * `LOCK_CLOSED`, `LOCK_INVALID`. `LOCK_DEADLOCK` inside of `withLock` on the same key, where the
   * wait could not end.
   */
  acquire(key: string, options?: AcquireOptions): Promise<Lease>;
  /**
   * As `acquire`, but one attempt unless `wait` says more, and `null` where `acquire` would throw
   * `LOCK_TIMEOUT`.
   */
  tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null>;
}
