import type { Locks, LockState } from '@locks/core';
import { naturally } from '@locks/core/text';
import { waitFor } from '../output/output.ts';

/** More calls at once would wait in the client. */
const atOnce = 50;

/** The states of `keys`, in their order. */
export async function statesOf(locks: Locks, keys: readonly string[]): Promise<readonly LockState[]> {
  const states: LockState[] = [];
  for (let at = 0; at < keys.length; at += atOnce) {
    states.push(...(await Promise.all(keys.slice(at, at + atOnce).map(async (key) => await locks.inspect(key)))));
  }
  return states;
}

/** The keys with `prefix` that are held or waited for, in their natural order. */
export async function sortedKeys(locks: Locks, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of locks.list(prefix)) keys.push(key);
  return keys.toSorted(naturally);
}

/** Resolves when something waits for `key`, or after a while: not each store tells. */
export async function inQueue(locks: Locks, key: string, stop?: AbortSignal): Promise<void> {
  for (let look = 0; look < 20; look += 1) {
    const { waiters } = await locks.inspect(key);
    if (waiters > 0 || stop?.aborted === true) return;
    await waitFor(2 * look, stop);
  }
}
