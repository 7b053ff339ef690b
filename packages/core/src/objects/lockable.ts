import type { Lease } from '../lease.ts';
import type { LockState } from '../lock-state.ts';
import type { TryResult } from '../leases/lock-calls.ts';
import type { Work } from '../leases/hold/with-lock.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import type { MultiLease } from './multi-lease.ts';

/** Options of a call of a lock object, which has its mode and its permits of its own. */
export type ObjectOptions = Omit<AcquireOptions, 'mode' | 'permits'>;

/**
 * What can be taken: a mutex, a side of a read/write lock, a permit, or several keys at once. The
 * calls are those of `Locks`, without a key.
 */
export interface Lockable<L extends Lease = Lease> {
  /** As `withLock` of `Locks`. */
  withLock<T>(options: ObjectOptions | undefined, work: Work<T, L>): Promise<T>;
  withLock<T>(work: Work<T, L>, options?: ObjectOptions): Promise<T>;
  /** As `tryWithLock` of `Locks`. */
  tryWithLock<T>(options: ObjectOptions | undefined, work: Work<T, L>): Promise<TryResult<T>>;
  tryWithLock<T>(work: Work<T, L>): Promise<TryResult<T>>;
  /** As `acquire` of `Locks`. */
  acquire(options?: ObjectOptions): Promise<L>;
  /** As `tryAcquire` of `Locks`. */
  tryAcquire(options?: ObjectOptions): Promise<L | null>;
}

/** A mutex, a side of a read/write lock, a semaphore, or several of its permits. */
export interface KeyLockable extends Lockable {
  /** What it locks. */
  readonly key: string;
  /** As `inspect` of `Locks`: who holds the key, and how many wait. */
  inspect(): Promise<LockState>;
  /**
   * Whether its holders leave no room for one more call of this object at this moment: any holder
   * for a mutex and a writer, a writer for a reader, all permits taken for a semaphore. Another
   * process may take it right after the answer: to take it, use `tryAcquire`.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  isLocked(): Promise<boolean>;
}

/** Several keys as one. */
export interface MultiLockable extends Lockable<MultiLease> {
  /** In the order in which they are taken. */
  readonly keys: readonly string[];
  /** As `inspect` of `Locks`, for each key. */
  inspect(): Promise<readonly LockState[]>;
  /**
   * Whether one of its parts is locked.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  isLocked(): Promise<boolean>;
}

/** Many readers or one writer. First come, first served, and readers in a row go in together. */
export interface ReadWriteLock {
  /** What both sides lock. */
  readonly key: string;
  /** The shared side. */
  readonly read: KeyLockable;
  /** `downgrade` of its lease lets readers in and keeps writers out. */
  readonly write: KeyLockable;
  /** As `inspect` of `Locks`: who holds the key, and how many wait. */
  inspect(): Promise<LockState>;
}

/** So many permits. Its own calls take one of them. */
export interface Semaphore extends KeyLockable {
  /**
   * `count` permits at once, all of them or none. It waits in the same queue as those that take
   * one. While it waits it holds those that it has.
   * @throws `LOCK_INVALID` unless `count` is an integer from 1 to the number of permits.
   */
  take(count: number): KeyLockable;
  /**
   * How many permits no process holds at this moment.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  availablePermits(): Promise<number>;
}
