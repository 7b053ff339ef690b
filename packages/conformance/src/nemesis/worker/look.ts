import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from '@locks/core';
import { now } from '../clock.ts';
import type { Order } from './messages.ts';

/** Looks until no key is held or waited for. Gives a line for each that still is in the end. */
export async function look(
  locks: Locks,
  { keys, jobs, within }: Extract<Order, { readonly kind: 'look' }>,
): Promise<readonly string[]> {
  const end = now() + within;
  const left: string[] = [];
  for (const key of keys) {
    for (;;) {
      const { holders, waiters } = await locks.inspect(key);
      if (holders.length === 0 && waiters === 0) break;
      if (now() > end) {
        const owners = holders.map(({ owner }) => owner).join(', ');
        left.push(`"${key}" still has ${holders.length} holders (${owners}) and ${waiters} waiters`);
        break;
      }
      await sleep(100);
    }
  }
  // A user's store keeps no record of what was only a test.
  for (const job of jobs) await locks.forgetJob(job).catch(() => {});
  return left;
}
