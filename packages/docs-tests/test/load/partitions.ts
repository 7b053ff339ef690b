import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks, isLockError } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { createRandom } from '@locks/core/testing';
import { onTestFinished } from 'vitest';
import { proxied } from '../support/proxied.ts';
import type { Store } from '../support/stores.ts';

/** What one process was told, and when another one was granted its key. */
export interface Partition {
  readonly direction: (typeof directions)[number];
  /** In ms: from the abort of the lease's signal to the grant. */
  readonly margin: number;
  /**
   * The signal aborted after the grant, though `lease.held` was true at the grant, or timers have
   * fired meanwhile: a process that stood still is told when its timers fire again.
   */
  readonly late: boolean;
}

const directions = ['both', 'requests', 'replies'] as const;

/** So many processes fall silent side by side. */
const atOnce = 20;

/**
 * A process holds a lease, and its connections fall silent at a random moment, one or both ways.
 * Another process, which is not harmed, waits for the key. `count` such partitions.
 */
export async function partition(
  store: Store,
  count: number,
  ttl: number,
  more: Readonly<Record<string, unknown>> = {},
): Promise<readonly Partition[]> {
  const random = createRandom(count);
  const found: Partition[] = [];
  const there = createLocks(await store.open(undefined, more), { closeProvider: true, ttl });
  onTestFinished(() => there.close());
  let next = 0;
  let ticks = 0;
  const ticking = setInterval(() => void (ticks += 1), 1);
  onTestFinished(() => clearInterval(ticking));

  async function partitions(): Promise<void> {
    const { url, proxies } = await proxied(store.url);
    const here = createLocks(await store.open(url, more), { closeProvider: true, ttl, closeTimeout: 500 });
    onTestFinished(() => here.close());
    while (next < count) {
      next += 1;
      const key = `partition/${random()}`;
      const lease = await acquireAtLast(here, key);
      // An overloaded machine has stood still for longer than the ttl.
      if (lease.signal.aborted) {
        next -= 1;
        continue;
      }
      const told = new Promise<{ readonly at: number; readonly tick: number }>((resolve) => {
        lease.signal.addEventListener('abort', () => resolve({ at: performance.now(), tick: ticks }));
      });
      const granted = acquireAtLast(there, key).then((other) => [other, performance.now(), lease.held, ticks] as const);
      await sleep(ttl * random());
      const direction = directions[Math.floor(3 * random())] ?? 'both';
      // Of a quorum a majority is enough.
      const cut = proxies.slice(0, proxies.length - Math.floor((random() * (proxies.length + 1)) / 2));
      const ends = cut.map((proxy) => proxy.silence(direction));
      const [other, grantedAt, held, before] = await granted;
      const { at, tick } = await told;
      const margin = grantedAt - at;
      // One more may belong to the turn that aborts the signal.
      found.push({ direction, margin, late: !(margin > 0) && (held || tick > before + 1) });
      await Promise.all(ends.map((end) => end()));
      // It is free in time.
      await other.release().catch(() => {});
    }
  }

  await Promise.all(Array.from({ length: atOnce }, partitions));
  return found;
}

/** A client may take longer than a ttl to find its store again, and a slow store to answer. */
async function acquireAtLast(locks: Locks, key: string): Promise<Lease> {
  for (;;) {
    try {
      return await locks.acquire(key);
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    }
  }
}
