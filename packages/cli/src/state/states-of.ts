import { isLockError } from '@locks/core';
import type { JobRun, LockState, Locks } from '@locks/core';
import { jobOfLock, lockOfJob } from '@locks/core/adapter';
import { naturally } from '@locks/core/text';
import { waitFor } from '../output/output.ts';

/** The state of a key, and the record of the run for the lock of a job. */
export interface KeyState extends LockState {
  readonly run?: JobRun | undefined;
}

/** More simultaneous calls would only wait in the client. */
const atOnce = 50;

/** The states of `keys`, in their order. */
export async function statesOf(locks: Locks, keys: readonly string[]): Promise<readonly KeyState[]> {
  const states: KeyState[] = [];
  for (let at = 0; at < keys.length; at += atOnce) {
    states.push(...(await Promise.all(keys.slice(at, at + atOnce).map(async (key) => await stateOf(locks, key)))));
  }
  return states;
}

/** The state of `key`. */
export async function stateOf(locks: Locks, key: string): Promise<KeyState> {
  const job = jobOfLock(key);
  if (job === undefined) return await locks.inspect(key);
  const [state, run] = await Promise.all([locks.inspect(key), runOf(locks, job)]);
  return { ...state, run };
}

/** The last run of `job`. `undefined`: it has none, or the store keeps no jobs. */
export async function runOf(locks: Locks, job: string): Promise<JobRun | undefined> {
  try {
    return await locks.job(job);
  } catch (error) {
    // If the record is newer than this program, the error names the key.
    if (isLockError(error, 'LOCK_MISCONFIGURED') && error.key === undefined) return undefined;
    throw error;
  }
}

/**
 * The keys with `prefix` that are held or waited for, and those of jobs whose names begin with it,
 * in natural order.
 */
export async function sortedKeys(locks: Locks, prefix: string): Promise<readonly string[]> {
  const keys = new Set<string>();
  for (const each of new Set([prefix, prefix && lockOfJob(prefix)])) {
    for await (const key of locks.list(each)) keys.add(key);
  }
  return [...keys].toSorted(naturally);
}

/** Resolves when `key` has a waiter, or after a while, as not every store reports waiters. */
export async function inQueue(locks: Locks, key: string, stop?: AbortSignal): Promise<void> {
  for (let look = 0; look < 20; look += 1) {
    const { waiters } = await locks.inspect(key);
    if (waiters > 0 || stop?.aborted === true) return;
    await waitFor(2 * look, stop);
  }
}
