import { createLocks } from '@locks/core';
import { now } from '../measure/clock.ts';
import { heapPerItem } from '../measure/heap.ts';
import { warmUp } from '../measure/rotation.ts';
import { serveTask } from '../measure/tasks.ts';
import { createNoopProvider } from './noop-provider.ts';

export interface OverheadInput {
  readonly rounds: number;
  /** Ms per round. */
  readonly slice: number;
  readonly leases: number;
}

/** Nanoseconds per operation, one number per round; bytes of heap per held lease. */
export interface OverheadOutput {
  readonly acquireAndRelease: readonly number[];
  readonly renew: readonly number[];
  readonly heapBytes: number;
}

serveTask(async ({ rounds, slice, leases }: OverheadInput): Promise<OverheadOutput> => {
  const locks = createLocks(createNoopProvider());
  const pair = async (): Promise<void> => {
    const lease = await locks.acquire('key');
    await lease.release();
  };
  const held = await locks.acquire('renewed');
  const acquireAndRelease: number[] = [];
  const renew: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const time = round === 0 ? slice * warmUp : slice;
    const pairTime = await timeOf(pair, time);
    const renewTime = await timeOf(() => held.renew(), time);
    if (round === 0) continue;
    acquireAndRelease.push(pairTime);
    renew.push(renewTime);
  }
  await held.release();
  const heapBytes = await heapPerItem(leases, async (items) => {
    for (let index = 0; index < leases; index += 1) items[index] = await locks.acquire(`held/${index}`);
  });
  return { acquireAndRelease, renew, heapBytes };
});

async function timeOf(operation: () => Promise<unknown>, ms: number): Promise<number> {
  const start = now();
  const end = start + ms;
  let count = 0;
  let time = start;
  while (time < end) {
    for (let index = 0; index < 64; index += 1) await operation();
    count += 64;
    time = now();
  }
  return ((time - start) / count) * 1e6;
}
