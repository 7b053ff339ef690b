import type { Locks } from '@locks/core';
import { waitFor } from '../output/output.ts';

/** Resolves when something waits for `key`, or after a while: not each store tells. */
export async function inQueue(locks: Locks, key: string, stop?: AbortSignal): Promise<void> {
  for (let look = 0; look < 20; look += 1) {
    const { waiters } = await locks.inspect(key);
    if (waiters > 0 || stop?.aborted === true) return;
    await waitFor(2 * look, stop);
  }
}
