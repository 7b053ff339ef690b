import type { Traits } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { acquireReaders } from '../options/acquire-options.ts';
import { lackingTraits } from '../options/requirements.ts';
import { wrongOption } from '../options/read-options.ts';
import type { Clock } from '../time/clock.ts';
import type { JointCalls } from './joint-calls.ts';
import { KeyLock } from './key-lock.ts';
import { freePermits } from './lock-object.ts';
import type { KeyLockable, ReadWriteLock, Semaphore } from './lockable.ts';
import type { DefaultWaits } from './multi-lock.ts';
import { Permits } from './permits.ts';

const source = { where: 'A semaphore', code: 'LOCK_INVALID' } as const;

interface SharedLocks extends JointCalls {
  readonly name: string;
  readonly traits: Traits;
}

/** Throws `LOCK_MISCONFIGURED` where the provider has no shared mode. */
export function readWriteLock(locks: SharedLocks, key: string): ReadWriteLock {
  mustShare(locks, 'A read/write lock');
  return {
    key,
    read: new KeyLock(locks, key, { mode: 'shared' }),
    write: new KeyLock(locks, key, { mode: 'exclusive' }),
    inspect: () => locks.inspect(key),
  };
}

/**
 * Throws `LOCK_MISCONFIGURED` where the provider has no shared mode. Throws `LOCK_INVALID` for a
 * wrong number.
 */
export function semaphore(
  locks: SharedLocks,
  clock: Clock,
  waits: DefaultWaits,
  key: string,
  permits: number,
): Semaphore {
  mustShare(locks, 'A semaphore');
  const reader = acquireReaders.permits;
  if (!reader.accepts(permits)) throw wrongOption('permits', permits, reader, source);
  const one = new KeyLock(locks, key, { mode: 'shared', permits });
  const take = (count: number): KeyLockable =>
    count === 1 ? one : new Permits({ locks, clock, waits, key, permits, count });
  const availablePermits = async (): Promise<number> => freePermits(await one.inspect(), permits);
  return Object.assign(one, { take, availablePermits });
}

function mustShare({ name, traits }: SharedLocks, what: string): void {
  const lacking = lackingTraits(traits, { shared: true });
  if (lacking.length === 0) return;
  const message = `${what} needs a provider with shared: true, and the ${name} provider lacks it: ${lacking.join(', ')}. Choose another provider, or a mutex.`;
  throw new LockError('LOCK_MISCONFIGURED', message);
}
