import { expect } from 'vitest';
import type { LockErrorCode } from '../../../src/index.ts';
import { isLockError } from '../../../src/index.ts';
import type { Process, RoundTrip } from './virtual-store.ts';
import { VirtualStore } from './virtual-store.ts';

type Heard = Partial<Record<LockErrorCode | 'other', number>>;

/** Counts what `call` rejects with. */
async function heard(counts: Heard, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    const code = isLockError(error) ? error.code : 'other';
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

/** Sends so many claims a second that wait for `wait` ms, until `over`. */
async function impatient(process: Process, rate: number, wait: number, counts: Heard, over: () => boolean) {
  for (;;) {
    await process.sleep((1_000 / rate) * (0.5 + process.runtime.random()));
    if (over()) return;
    void heard(counts, process.locks.acquire('k', { wait, ttl: 5_000 }));
  }
}

interface Run {
  readonly processes: number;
  readonly near: number;
  readonly far: number;
  readonly rate: number;
  readonly wait: number;
  readonly ttl: number;
}

/** A far holder works for a minute, and then releases, while others wait and give up. */
async function holdFor({ processes, near, far, rate, wait, ttl }: Run, seed: number) {
  const store = new VirtualStore(seed);
  const holder = store.process(far);
  const acquired = holder.locks.acquire('k', { ttl });
  await store.pass(2_000);
  const lease = await acquired;
  const counts: Heard = {};
  let over = false;
  for (let number = 0; number < processes; number += 1)
    void impatient(store.process(near), rate / processes, wait, counts, () => over);
  await store.pass(60_000, () => lease.signal.aborted);
  const { held } = lease;
  const begun = store.time;
  let released: unknown;
  void heard(
    counts,
    lease.release().then((freed) => void (released = freed)),
  );
  await store.pass(10_000, () => released !== undefined);
  const took = store.time - begun;
  over = true;
  await store.pass(wait + 1_000);
  return { held, released, took, counts };
}

export const usual = { processes: 4, near: 1, far: 100, rate: 20, wait: 200, ttl: 30_000 };

/** Contention is not an outage, and takes no lease away. */
export async function expectHeld(run: Run, seed: number): Promise<void> {
  const { held, released, took, counts } = await holdFor(run, seed);
  expect({ held, released }).toEqual({ held: true, released: true });
  expect(took).toBeLessThan(2_500);
  expect(Object.keys(counts)).toEqual(['LOCK_TIMEOUT']);
}

/**
 * Leases of each process in a minute, of so many flows each that take the key all the time.
 * `countFrom`: without those before it, in ms.
 */
export async function leasesOf(
  seed: number,
  trips: readonly RoundTrip[],
  flows: number,
  hold: number,
  countFrom = 0,
): Promise<readonly { readonly leases: number; readonly longest: number }[]> {
  const store = new VirtualStore(seed);
  const counts: Heard = {};
  const found = trips.map((trip) => {
    const process = store.process(trip);
    const of = { leases: 0, longest: 0 };
    const flow = async (): Promise<void> => {
      for (;;) {
        const begun = store.time;
        const lease = await process.locks.acquire('k', { ttl: 5_000 });
        if (store.time >= countFrom) of.leases += 1;
        of.longest = Math.max(of.longest, store.time - begun);
        await process.sleep(hold);
        await lease.release();
      }
    };
    for (let number = 0; number < flows; number += 1) void heard(counts, flow());
    return of;
  });
  await store.pass(60_000);
  expect(counts).toEqual({});
  return found;
}
