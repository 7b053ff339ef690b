import type { Lease, Locks } from '@locks/core';
import { inQueue } from '../state/states-of.ts';

/** What the probes have in common. */
export interface ProbeParts {
  readonly locks: Locks;
  /** The beginning of the names of its keys, which nothing else uses. */
  readonly prefix: string;
  /** Aborted when the probe is to end early. */
  readonly stop: AbortSignal;
}

/** One kind of load. */
export interface Probe {
  readonly name: string;
  /** What is measured once, for people. */
  readonly unit: string;
  /** Loads the store for `ms`. Returns the durations in ms. */
  run(parts: ProbeParts, ms: number): Promise<readonly number[]>;
}

/** How many keys are locked simultaneously. */
const sideBySide = 8;

/** In ms: if this process is killed, its keys expire soon. */
const ttl = 2_000;

export const probes: readonly Probe[] = [
  {
    name: 'one at a time',
    unit: 'acquire and release',
    run: async (parts, ms) => await pairsOn(`${parts.prefix}/one`, parts, performance.now() + ms),
  },
  {
    name: `${sideBySide} at once`,
    unit: 'acquire and release',
    async run(parts, ms) {
      const end = performance.now() + ms;
      const keys = Array.from({ length: sideBySide }, (_, index) => `${parts.prefix}/${index}`);
      return (await Promise.all(keys.map(async (key) => await pairsOn(key, parts, end)))).flat();
    },
  },
  { name: 'hand-over', unit: 'release to the waiter', run: handOvers },
];

async function pairsOn(key: string, { locks, stop }: ProbeParts, end: number): Promise<readonly number[]> {
  const times: number[] = [];
  while (performance.now() < end && !stop.aborted) {
    const began = performance.now();
    const lease = await locks.acquire(key, { ttl });
    await lease.release();
    times.push(performance.now() - began);
  }
  return times;
}

/** Two claims take one key in turns. */
async function handOvers({ locks, prefix, stop }: ProbeParts, ms: number): Promise<readonly number[]> {
  const key = `${prefix}/hand-over`;
  const end = performance.now() + ms;
  const times: number[] = [];
  let lease: Lease = await locks.acquire(key, { ttl });
  while (performance.now() < end && !stop.aborted) {
    const waiting = locks.acquire(key, { ttl });
    waiting.catch(() => {});
    await inQueue(locks, key, stop);
    const began = performance.now();
    await lease.release();
    lease = await waiting;
    times.push(performance.now() - began);
  }
  await lease.release();
  return times;
}
