import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proxy } from '@locks/conformance/faults';
import { createRandom } from '@locks/core/testing';
import { isLockError } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { each, usedHeap } from './measure.ts';

/** How much is done at once, and for how long. */
export interface Extent {
  readonly leases: number;
  readonly keys: number;
  readonly waiters: number;
  readonly seconds: number;
  /** Of each lease, in ms. */
  readonly ttl: number;
}

/** Times in ms, sizes in bytes. */
export interface HeldFigures {
  /** Leases that were lost while they were wanted, or whose release freed nothing. */
  readonly lost: number;
  readonly acquisitions: number;
  /** What broke a rule, and what calls rejected with. */
  readonly faults: readonly string[];
  readonly waitP50: number;
  readonly waitP99: number;
  readonly loopP99: number;
  readonly loopMax: number;
  /**
   * After full collections: the least of the second and the last quarter of the time. Renewals in
   * progress take as much again.
   */
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** In ms. Each wait and hold is shorter where the store keeps up. */
const longestHold = 400;
const resolution = 10;

/**
 * One process holds `leases` for the whole time, while `waiters` flows of it contend for `keys`.
 * `proxies`: all connections are cut now and then, and while all leases are released in one turn.
 */
export async function holdLeases(locks: Locks, extent: Extent, proxies: readonly Proxy[] = []): Promise<HeldFigures> {
  const { leases: count, keys, waiters, seconds, ttl } = extent;
  const random = createRandom(1);
  const faults: string[] = [];
  // In µs. It takes as much memory for a million as for one.
  const waits = createHistogram();
  const leases: Lease[] = [];
  const heap: number[] = [];
  let lost = 0;
  let over = false;
  const cutAll = (): Promise<unknown> => Promise.all(proxies.map((proxy) => proxy.cut()));

  await each(count, 64, async (index) => void leases.push(await locks.acquire(`held/${index}`, { ttl })));

  const last = new Map<string, bigint>();
  const held = new Set<string>();
  async function take(key: string): Promise<void> {
    const began = performance.now();
    const lease = await locks.acquire(key, { ttl });
    waits.record(Math.max(1, Math.round((performance.now() - began) * 1_000)));
    if (held.has(key)) faults.push(`two holders of ${key}`);
    if (lease.token <= (last.get(key) ?? 0n)) faults.push(`a token of ${key} that is not higher`);
    held.add(key);
    last.set(key, lease.token);
    await sleep(random() * longestHold);
    held.delete(key);
    if (!lease.held) lost += 1;
    // Where its connection was cut, a release is not confirmed, or its repeat frees nothing.
    const freed = await lease.release().catch((error: unknown) => {
      if (proxies.length === 0) throw error;
    });
    if (freed === false && proxies.length === 0) faults.push(`a release of ${key} that freed nothing`);
  }
  const contend = async (_: unknown, index: number): Promise<void> => {
    while (!over)
      await take(`contended/${index % keys}`).catch((error: unknown) =>
        faults.push(isLockError(error) ? error.code : String(error)),
      );
  };
  const contending = Promise.all(Array.from({ length: waiters }, contend));

  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  for (let sample = 0; sample < 20; sample += 1) {
    await sleep(seconds * 50);
    heap.push(await usedHeap());
    if (sample % 5 === 4) await cutAll();
  }
  delay.disable();
  over = true;
  await contending;

  lost += leases.filter((lease) => !lease.held).length;
  const released = Promise.allSettled(leases.map((lease) => lease.release()));
  await sleep(5);
  await cutAll();
  const freed = (await released).filter((end) => end.status === 'fulfilled' && end.value);
  if (proxies.length === 0) lost += count - freed.length;
  return {
    lost,
    acquisitions: waits.count,
    faults: [...new Set(faults)].map((fault) => `${faults.filter((other) => other === fault).length} × ${fault}`),
    waitP50: waits.percentile(50) / 1_000,
    waitP99: waits.percentile(99) / 1_000,
    // The time between two looks at the clock is part of what it measures.
    loopP99: delay.percentile(99) / 1e6 - resolution,
    loopMax: delay.max / 1e6 - resolution,
    heapBefore: Math.min(...heap.slice(5, 10)),
    heapAfter: Math.min(...heap.slice(15)),
  };
}
