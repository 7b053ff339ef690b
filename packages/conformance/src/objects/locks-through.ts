import type { AcquireOptions, Lease, Lockable, Locks, TryResult, Work } from '@locks/core';
import { overlay } from './overlay.ts';

/** Makes the object with this key. */
export type MakeObject = (locks: Locks, key: string) => Partial<Lockable>;

/**
 * `locks`, whose exclusive calls go through the object that `make` gives. So what is asked of a
 * `Locks` is asked of the object.
 */
export function locksThrough(locks: Locks, make: MakeObject): Locks {
  const object = (key: string, { mode }: AcquireOptions = {}): Lockable =>
    overlay((mode === 'shared' ? plain(locks, key) : make(locks, key)) as Lockable, {});
  return overlay<Locks>(locks, {
    async acquire(key: string, options?: AcquireOptions): Promise<Lease> {
      return await object(key, options).acquire(options);
    },
    async tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null> {
      return await object(key, options).tryAcquire(options);
    },
    async withLock<T>(key: string, first: unknown, second?: unknown): Promise<T> {
      const [work, options] = read<T>(first, second);
      return await object(key, options).withLock(options, work);
    },
    async tryWithLock<T>(key: string, first: unknown, second?: unknown): Promise<TryResult<T>> {
      const [work, options] = read<T>(first, second);
      return await object(key, options).tryWithLock(options, work);
    },
  });
}

/** The calls of `locks` with `key`, and `own` options. */
export function plain(locks: Locks, key: string, own: AcquireOptions = {}): Lockable {
  return {
    acquire: (options) => locks.acquire(key, { ...options, ...own }),
    tryAcquire: (options) => locks.tryAcquire(key, { ...options, ...own }),
    withLock<T>(first: unknown, second?: unknown): Promise<T> {
      const [work, options] = read<T>(first, second);
      return locks.withLock(key, { ...options, ...own }, work);
    },
    tryWithLock<T>(first: unknown, second?: unknown): Promise<TryResult<T>> {
      const [work, options] = read<T>(first, second);
      return locks.tryWithLock(key, { ...options, ...own }, work);
    },
  };
}

function read<T>(first: unknown, second: unknown): [Work<T>, AcquireOptions | undefined] {
  const pair = typeof first === 'function' ? [first, second] : [second, first];
  return pair as [Work<T>, AcquireOptions | undefined];
}
