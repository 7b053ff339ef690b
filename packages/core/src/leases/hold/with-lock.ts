import { LockError } from '../../errors/lock-error.ts';
import type { Lease } from '../../lease.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';

/** What runs under a lock. */
export type Work<T, L extends Lease = Lease> = (lease: L) => T | PromiseLike<T>;

/**
 * The work and the options of a call, given as `(options, work)`, `(work)` or, to `withLock` only,
 * `(work, options)`. Throws `LOCK_INVALID` when there is no work.
 */
export function readWork<T, L extends Lease = Lease, Options extends object = AcquireOptions>(
  call: 'withLock' | 'tryWithLock' | 'once',
  first: unknown,
  second: unknown,
): [work: Work<T, L>, options: Options | undefined] {
  if (typeof second === 'function') return [second as Work<T, L>, first as Options | undefined];
  if (typeof first === 'function' && (call === 'withLock' || second === undefined)) {
    return [first as Work<T, L>, second as Options | undefined];
  }
  const names = call === 'once' ? 'once(key, slot, options, work)' : `${call}(key, options, work)`;
  const message =
    typeof first === 'function'
      ? `${names}: pass the options before the work.`
      : `${names}: "work" must be a function.`;
  throw new LockError('LOCK_INVALID', message);
}

/** The error of a caller whose lease was lost before its work ended. */
export function lostDuringWork(
  lost: LockError,
  outcome: { readonly cause: unknown; readonly result?: unknown },
): LockError {
  const options = lost.key === undefined ? outcome : { ...outcome, key: lost.key };
  return new LockError('LOCK_LOST', `${lost.message} Its work continued without the lock.`, options);
}
