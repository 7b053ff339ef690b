import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError } from '@locks/core';
import type { Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';

/** Times in ms. */
export interface OneKeyFigures {
  /** Until the store had a position for each waiter that it has one for. */
  readonly queued: number;
  readonly positions: number;
  /** From the release of the first holder until the last waiter was served. */
  readonly served: number;
  readonly inversions: number;
  /** How the waits ended, and how often. */
  readonly ends: Readonly<Record<string, number>>;
}

const key = 'one';
/** Longer than positions last without a sign of life, in ms. */
const placeLasts = 7_000;

/**
 * `count` calls of one process wait for one key that another process holds. A tenth of them gives
 * up by a signal and another tenth by a deadline; then the key is free for the others. `most`: how
 * many positions a key has on this store.
 */
export async function waitForOneKey(here: Locks, there: Locks, count: number, most = count): Promise<OneKeyFigures> {
  // Of a tenth of the waits, and twice the time until all have positions.
  const deadline = 10_000 + 10 * count;
  const holder = await there.acquire(key, { ttl: 600_000 });
  const other = await here.acquire('other', { ttl: 10_000 });
  const giveUp = new AbortController();
  const ends: Record<string, number> = {};
  const order: number[] = [];
  const began = performance.now();
  const waits = Array.from({ length: count }, async (_, index): Promise<void> => {
    const options = index % 10 === 3 ? { signal: giveUp.signal } : index % 10 === 7 ? { wait: deadline } : {};
    const end = await here.acquire(key, { ttl: 600_000, ...options }).then(
      async (lease) => {
        order.push(index);
        return (await lease.release()) ? 'served' : 'freed nothing';
      },
      (error: unknown) => (isLockError(error) ? error.code : String(error)),
    );
    ends[end] = (ends[end] ?? 0) + 1;
  });
  const positions = async (): Promise<number> => {
    // To read a queue takes time from those that enter it.
    await sleep(500);
    return (await here.inspect(key)).waiters ?? 0;
  };
  const wanted = Math.min(count, most);
  await eventually(`${wanted} positions`, async () => (await positions()) === wanted, deadline / 2);
  const queued = performance.now() - began;
  await sleep(placeLasts);
  const kept = await positions();
  await Promise.all(waits.filter((_, index) => index % 10 === 7));
  giveUp.abort('given up');
  if (!other.held) throw new Error('The lease of another key was lost.');
  await other.release();
  const freedAt = performance.now();
  await holder.release();
  await Promise.all(waits);
  return {
    queued,
    positions: kept,
    served: performance.now() - freedAt,
    inversions: order.filter((index, place) => index < (order[place - 1] ?? 0)).length,
    ends,
  };
}
