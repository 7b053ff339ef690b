import { LockError } from '../errors/lock-error.ts';
import type { Lease } from '../lease.ts';

/** A lease that also tells why it ended. */
export interface OwnedLease extends Lease {
  /** Why it ended against its holder's will; `undefined` while it is held and after `release`. */
  readonly lostReason: LockError | undefined;
}

/**
 * Runs `work` under `lease` and releases it, whatever happens. Work is not interrupted; if the lease was lost before it ended,
 * nobody can say what it met, and the caller must hear of it even when work succeeded.
 */
export async function runUnder<T>(lease: OwnedLease, work: (lease: Lease) => T | PromiseLike<T>): Promise<T> {
  let result: T;
  try {
    result = await work(lease);
  } catch (error) {
    const lost = lease.lostReason;
    await lease[Symbol.asyncDispose]();
    throw lost === undefined || error === lost ? error : lostDuringWork(lost, { cause: error });
  }
  const lost = lease.lostReason;
  await lease[Symbol.asyncDispose]();
  if (lost !== undefined) throw lostDuringWork(lost, { cause: lost, result });
  return result;
}

function lostDuringWork(lost: LockError, outcome: { readonly cause: unknown; readonly result?: unknown }): LockError {
  const options = lost.key === undefined ? outcome : { ...outcome, key: lost.key };
  return new LockError('LOCK_LOST', `${lost.message} The work under it went on without protection.`, options);
}
