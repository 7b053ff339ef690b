import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Lease } from '@locks/core';
import { checkHistory, createHistory, createRandom } from '@locks/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startStore } from '../support/stores.ts';
import type { StoreName } from '../support/stores.ts';

const everything = process.env['LOCKS_TEST_WHOLE'] !== undefined;
const stores: readonly StoreName[] = everything ? ['redis', 'postgres', 'zookeeper'] : ['redis'];
const seconds = everything ? 20 : 2;
const readers = 100;
const writers = 5;
const processes = 5;
/** The longest hold, in ms. */
const hold = 10;

// In a fair line a writer waits for the readers before it, which go together, and for four writers.
// So a wait that is not bounded by a few dozen hand-overs means that one side starves. All go on
// until each had two turns, which one that starves never has.
test.each(stores)('100 readers and 5 writers in a loop on %s', { timeout: 120_000 }, async (name) => {
  const store = await startStore(name);
  onTestFinished(() => store.stop());
  const all = await Promise.all(
    Array.from({ length: processes }, async () => createLocks(await store.open(), { closeProvider: true })),
  );
  onTestFinished(async () => void (await Promise.all(all.map((locks) => locks.close()))));
  const now = (): number => performance.now();
  const history = createHistory(now);
  const random = createRandom(20_261_123);
  const waits = { read: [] as number[], write: [] as number[] };
  const turns = Array.from({ length: readers + writers }, () => 0);
  const end = now() + seconds * 1_000;
  const loop = async (index: number, side: 'read' | 'write'): Promise<void> => {
    const process = `p${index % processes}`;
    const lock = all[index % processes]?.readWriteLock('page')[side];
    for (let asked = now(); asked < end || turns.some((count) => count < 2); asked = now()) {
      const lease = (await lock?.acquire()) as Lease;
      history.granted(process, lease);
      waits[side].push(now() - asked);
      turns[index] = (turns[index] ?? 0) + 1;
      await sleep(hold * random());
      history.released(lease);
      await lease.release();
      await sleep(hold * random());
    }
  };
  await Promise.all([
    ...Array.from({ length: readers }, (_, index) => loop(index, 'read')),
    ...Array.from({ length: writers }, (_, index) => loop(readers + index, 'write')),
  ]);
  expect(checkHistory(history.events, { ended: true })).toEqual([]);
  const figures = Object.entries(waits).map(([side, each]) => {
    const sorted = each.toSorted((one, other) => one - other);
    const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(0);
    return `${side} ${sorted.length}, waits p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms`;
  });
  console.log(`${name}, ${seconds} s: ${figures.join('; ')}`);
  expect(Math.max(...waits.read, ...waits.write)).toBeLessThan(5_000);
});
