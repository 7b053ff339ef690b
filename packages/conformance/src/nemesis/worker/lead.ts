import { setTimeout as sleep } from 'node:timers/promises';
import type { Election, Lease, Locks } from '@locks/core';
import type { Turn } from '../script.ts';
import type { Naming } from './calls.ts';

/**
 * Is a candidate until it has led once, or for the wait of the turn. Returns whether it has led.
 */
export async function lead(
  locks: Locks,
  name: Naming,
  { key, ttl, wait = 1_000 }: Turn,
  hold: (lease: Lease, election: Election) => Promise<unknown>,
): Promise<boolean> {
  let led = (): void => {};
  const over = new Promise<void>((resolve) => (led = resolve));
  let begun = false;
  const election = locks.elect(
    name(key),
    async (lease) => {
      if (begun) return;
      begun = true;
      await hold(lease, election).finally(led);
    },
    { ttl },
  );
  // Without a reference: it must not be counted as left open.
  await Promise.race([
    over,
    sleep(wait, undefined, { ref: false }).then(() => (begun ? over : undefined)),
    election.ended,
  ]);
  await election.stop();
  if (begun) await over;
  return begun;
}
