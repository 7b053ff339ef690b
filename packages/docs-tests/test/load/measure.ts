import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of heap in use after a full collection. What finalizers free is not among them. */
export async function usedHeap(): Promise<number> {
  for (let pass = 0; pass < 2; pass += 1) {
    collectGarbage();
    await setImmediate();
  }
  return process.memoryUsage().heapUsed;
}

/** The value below which the part `share` of them is, 1 for the largest. */
export function quantile(values: readonly number[], share: number): number {
  const ascending = values.toSorted((one, other) => one - other);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

/** Resolves when no key has a holder or a waiter. */
export async function nothingLeft(locks: Locks): Promise<void> {
  let left: string[] = [];
  const look = async (): Promise<boolean> => {
    left = [];
    for await (const key of locks.list()) left.push(key);
    return left.length === 0;
  };
  await eventually('no key is in use', look, 30_000).catch((error: unknown) => {
    throw new Error(`${String(error)} Left: ${left.length}, such as ${left[0]}`);
  });
}

/** At most `atOnce` at a time. */
export async function each(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const flow = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, flow));
}
