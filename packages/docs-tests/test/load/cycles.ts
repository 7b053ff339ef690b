import { isLockError } from '@locks/core';
import type { Locks } from '@locks/core';
import type { Store } from '../support/stores.ts';
import { each, usedHeap } from './measure.ts';

/** After each tenth of the cycles. */
export interface CycleFigures {
  readonly perSecond: number;
  /** What calls rejected with, and how often. None is repeated here. */
  readonly failures: Readonly<Record<string, number>>;
  /** Bytes after full collections. */
  readonly heap: readonly number[];
  /** Keys, rows or nodes of the store. */
  readonly size: readonly number[];
}

const atOnce = 256;
/** Every other cycle has one of these keys, the others have a key of their own. */
const keys = 1_000;

/** Acquires and releases `count` times, and looks ten times at what has grown. */
export async function cycle(locks: Locks, store: Store, count: number): Promise<CycleFigures> {
  const heap: number[] = [];
  const size: number[] = [];
  const failures: Record<string, number> = {};
  let took = 0;
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const began = performance.now();
    await each(count / 10, atOnce, async (index) => {
      const key = index % 2 === 0 ? `again/${(index / 2) % keys}` : `once/${tenth}/${index}`;
      await locks
        .withLock(key, () => {})
        .catch((error: unknown) => {
          const what = isLockError(error) ? error.code : String(error);
          failures[what] = (failures[what] ?? 0) + 1;
        });
    });
    took += performance.now() - began;
    heap.push(await usedHeap());
    size.push(await store.size());
  }
  return { perSecond: (count / took) * 1_000, failures, heap, size };
}
