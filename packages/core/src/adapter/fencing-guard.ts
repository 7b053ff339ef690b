import { LockError } from '../errors/lock-error.ts';
import { describe } from '../options/key.ts';
import type { Lease } from '../lease.ts';

/** Rejects stale holders, for resources within one process. */
export interface FencingGuard {
  /**
   * Throws `LOCK_STALE` if a later holder has used `resource`; otherwise remembers the lease's
   * token. Call it in the same synchronous step as the change it protects: during an `await` in
   * between, a later holder may come.
   * @throws `LOCK_STALE`; `LOCK_INVALID` for a lease that is not exclusive.
   */
  check(resource: string, lease: Pick<Lease, 'token' | 'mode'>): void;
  /** Forgets `resource`: any token is accepted again. */
  forget(resource: string): void;
}

/**
 * Creates a guard that remembers the highest token of each resource. Memory: one entry per
 * resource, until `forget`.
 */
export function createFencingGuard(): FencingGuard {
  const highest = new Map<string, bigint>();
  return {
    check(resource, lease) {
      checkFenceable(resource, lease);
      const seen = highest.get(resource);
      if (seen !== undefined && lease.token < seen) throw staleError(resource, lease.token, seen);
      highest.set(resource, lease.token);
    },
    forget(resource) {
      highest.delete(resource);
    },
  };
}

/** Throws `LOCK_INVALID` unless `lease` is exclusive: tokens of shared holders have no order. */
export function checkFenceable(resource: string, lease: Pick<Lease, 'token' | 'mode'>): void {
  if (typeof lease !== 'object' || lease === null || typeof lease.token !== 'bigint') {
    throw new LockError(
      'LOCK_INVALID',
      `A guard needs the lease that protects ${JSON.stringify(resource)}, not ${describe(lease)}.`,
    );
  }
  if (lease.mode !== 'exclusive') {
    const message = `A guard needs an exclusive lease; the one for ${JSON.stringify(resource)} is ${lease.mode}.`;
    throw new LockError('LOCK_INVALID', message);
  }
}

/** The error of every guard: a later holder has used the resource. */
export function staleError(resource: string, token: bigint, seen: bigint): LockError {
  const message = `Fencing token ${token} is stale for ${JSON.stringify(resource)}: a later holder has used token ${seen}, so the lease has ended.`;
  return new LockError('LOCK_STALE', message);
}
