import assert from 'node:assert/strict';
import { isLockError } from '@locks/core';
import type { AcquireOptions, Lease, Locks } from '@locks/core';
import type { Context } from '../../context/context.ts';
import { show } from '../../checks/expect.ts';
import { now, within } from '../../checks/time.ts';

/** A lease with a short ttl, `inTime`. */
export async function acquireInTime(
  context: Context,
  locks: Locks,
  key: string,
  options: AcquireOptions,
): Promise<Lease> {
  return await inTime(context, () => locks.acquire(key, options));
}

/**
 * If the machine was suspended for longer than a short ttl, the grant has expired when it arrives;
 * core releases it and reports the backend as unavailable: so it is asked again.
 */
export async function inTime<T>(context: Context, acquire: () => Promise<T>): Promise<T> {
  for (const until = now() + context.patience; ;) {
    try {
      return await acquire();
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE') || now() >= until) throw error;
    }
  }
}

/** Waits until the lease is lost, for as long as it lasts. */
export async function lossOf(context: Context, lease: Lease, when: string): Promise<void> {
  // A session provider may grant for far longer than the requested ttl.
  await within(lease.remaining + context.patience, aborted(lease), `the signal of the lease to fire ${when}`);
  assert.ok(
    isLockError(lease.signal.reason, 'LOCK_LOST'),
    `expected the signal's reason to be LOCK_LOST, got ${show(lease.signal.reason)}`,
  );
}

/** Resolves when the signal of `lease` has fired. */
export function aborted({ signal }: Lease): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Repeats an experiment that proves something only if it is in time, at most four times: on a
 * suspended machine, losing a lease is right. If none was in time, nothing is proved against the
 * provider.
 */
export async function untilConclusive(experiment: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 4; round += 1) if (await experiment()) return;
}
