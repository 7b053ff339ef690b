import { LockError } from '../../errors/lock-error.ts';
import type { Lease } from '../../lease.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import { PublicLease } from './public-lease.ts';

/** What runs under a lock. */
export type Work<T, L extends Lease = Lease> = (lease: L) => T | PromiseLike<T>;

/**
 * Runs `work` under `lease` and releases the lease, whatever happens. Work is not interrupted. If
 * the lease was lost before work ended, another holder may have worked at the same time. The caller
 * must hear of it even when work succeeded.
 */
export async function runUnder<T>(lease: PublicLease, work: Work<T>): Promise<T> {
  let result: T;
  PublicLease.beginWork(lease);
  try {
    result = await work(lease);
  } catch (error) {
    const lost = PublicLease.lostReason(lease);
    await lease[Symbol.asyncDispose]();
    throw lost === undefined || error === lost ? error : lostDuringWork(lost, { cause: error });
  }
  const lost = PublicLease.lostReason(lease);
  await lease[Symbol.asyncDispose]();
  if (lost !== undefined) throw lostDuringWork(lost, { cause: lost, result });
  return result;
}

/**
 * The work and the options of a call, which are given as `(options, work)`, `(work)` or, to
 * `withLock` alone, `(work, options)`. Throws `LOCK_INVALID` when there is no work.
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
      ? `${names}: the options come before the work.`
      : `${names}: "work" must be a function.`;
  throw new LockError('LOCK_INVALID', message);
}

function lostDuringWork(lost: LockError, outcome: { readonly cause: unknown; readonly result?: unknown }): LockError {
  const options = lost.key === undefined ? outcome : { ...outcome, key: lost.key };
  return new LockError('LOCK_LOST', `${lost.message} The work under it went on without protection.`, options);
}
