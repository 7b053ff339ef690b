import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from '@locks/core';
import { now } from '../clock.ts';
import type { Order } from './messages.ts';

/** Polls until no key is held or waited for. Returns a line for each that still is at the end. */
export async function look(
  locks: Locks,
  { keys, jobs, within }: Extract<Order, { readonly kind: 'look' }>,
): Promise<readonly string[]> {
  const end = now() + within;
  const left: string[] = [];
  for (const key of keys) {
    for (;;) {
      const found = await lookAt(locks, key);
      if (found === undefined) break;
      if (now() > end) {
        left.push(found);
        break;
      }
      await sleep(100);
    }
  }
  // A user's store must not keep records of a test.
  for (const job of jobs) await locks.forgetJob(job).catch(() => {});
  return left;
}

/**
 * The holders and waiters, or why they are unknown: a client of the caller's may not be connected
 * yet.
 */
async function lookAt(locks: Locks, key: string): Promise<string | undefined> {
  try {
    const { holders, waiters } = await locks.inspect(key);
    if (holders.length === 0 && waiters === 0) return undefined;
    const owners = holders.map(({ owner }) => owner).join(', ');
    return `"${key}" still has ${holders.length} holders (${owners}) and ${waiters} waiters`;
  } catch (error) {
    return `"${key}" could not be inspected: ${String(error)}`;
  }
}
