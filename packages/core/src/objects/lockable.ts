import type { Lease } from '../lease.ts';
import type { LockState } from '../lock-state.ts';
import type { TryResult } from '../leases/lock-calls.ts';
import type { Work } from '../leases/hold/with-lock.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import type { MultiLease } from './multi-lease.ts';

/** Options of a call of a lock object, which sets mode and permits itself. */
export type ObjectOptions = Omit<AcquireOptions, 'mode' | 'permits'>;

/**
 * What can be taken: a mutex, a side of a read/write lock, a permit, or several keys. The calls are
 * those of the client, without a key.
 */
export interface Lockable<L extends Lease = Lease> {
  /** As `withLock` of the client. */
  withLock<T>(options: ObjectOptions | undefined, work: Work<T, L>): Promise<T>;
  withLock<T>(work: Work<T, L>, options?: ObjectOptions): Promise<T>;
  /** As `tryWithLock` of the client. */
  tryWithLock<T>(options: ObjectOptions | undefined, work: Work<T, L>): Promise<TryResult<T>>;
  tryWithLock<T>(work: Work<T, L>): Promise<TryResult<T>>;
  /** As `acquire` of the client. */
  acquire(options?: ObjectOptions): Promise<L>;
  /** As `tryAcquire` of the client. */
  tryAcquire(options?: ObjectOptions): Promise<L | null>;
}

/** A mutex, a side of a read/write lock, a semaphore, or several of its permits. */
export interface KeyLockable extends Lockable {
  /** The key that it locks. */
  readonly key: string;
  /** As `inspect` of the client: the holders and waiters of the key. */
  inspect(): Promise<LockState>;
  /**
   * Whether its holders leave no room for one more call of this object now: any holder for a mutex
   * and a writer, a writer for a reader, all permits taken for a semaphore. Another process may
   * take it right after the answer: to take it, use `tryAcquire`.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  isLocked(): Promise<boolean>;
}

/** Several keys as one. */
export interface MultiLockable extends Lockable<MultiLease> {
  /** In the order in which they are taken. */
  readonly keys: readonly string[];
  /** As `inspect` of the client, for each key. */
  inspect(): Promise<readonly LockState[]>;
  /**
   * Whether one of its parts is locked.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  isLocked(): Promise<boolean>;
}

/** Many readers or one writer. First come, first served; consecutive readers enter together. */
export interface ReadWriteLock {
  /** The key of both sides. */
  readonly key: string;
  /** The shared side. */
  readonly read: KeyLockable;
  /** `downgrade` of its lease admits readers and excludes writers. */
  readonly write: KeyLockable;
  /** As `inspect` of the client: the holders and waiters of the key. */
  inspect(): Promise<LockState>;
}

/** Several permits. Its own calls take one of them. */
export interface Semaphore extends KeyLockable {
  /**
   * `count` permits, all of them or none. It waits in the same queue as calls for one. While it
   * waits it holds those that it has.
   * @throws `LOCK_INVALID` unless `count` is an integer from 1 to the number of permits.
   */
  take(count: number): KeyLockable;
  /**
   * How many permits are free now.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  availablePermits(): Promise<number>;
}
