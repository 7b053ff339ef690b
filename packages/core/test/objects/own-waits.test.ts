import { expect, it, onTestFinished, vi } from 'vitest';
import type { AcquireOptions, Locks, LocksOptions } from '../../src/index.ts';
import { createDeferred } from '../../src/time/deferred.ts';
import { watch } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';

/** Before Node 24 contexts are noted only where something else made that cheap. */
const isTold = Number(process.versions.node.split('.')[0]) < 24;

function setting(options: LocksOptions = {}) {
  const warned: string[] = [];
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation((message, about) => {
    if ((about as NodeJS.EmitWarningOptions).code === 'LOCKS_OWN_WAIT') warned.push(String(message));
  });
  onTestFinished(() => warn.mockRestore());
  return { ...twoProcesses({ slowWait: 1_000, ...options }), warned };
}

/** Work under "seat" that does not end, and a claim that waits for it. */
function hang(locks: Locks, options: AcquireOptions = {}): void {
  watch(locks.withLock('seat', () => new Promise(() => {})));
  watch(Promise.resolve().then(() => locks.acquire('seat', options)));
}

it('a wait for work of the same Locks is told once, where its context is not known', async () => {
  const { runtime, one, warned } = setting();
  hang(one);
  await runtime.advance(990);
  expect(warned).toEqual([]);
  await runtime.advance(20_000);
  const message = expect.stringMatching(/^A claim for "seat" has waited \d+ ms for work of the same client\.$/);
  expect(warned).toEqual(isTold ? [message] : []);
  hang(one);
  await runtime.advance(60_000);
  expect(warned).toHaveLength(isTold ? 1 : 0);
});

it.each<[string, LocksOptions, (one: Locks, two: Locks) => unknown]>([
  ['a wait for another process', {}, (one, two) => [two.withLock('seat', () => new Promise(() => {})), hang(one)]],
  ['a lease without work', {}, async (one) => [await one.acquire('seat'), hang(one)]],
  ['a wait with a limit', {}, (one) => hang(one, { wait: 60_000 })],
  ['a wait that may be for itself', {}, (one) => hang(one, { waitForSelf: true })],
  ['findDeadlocks: true', { findDeadlocks: true }, (one) => hang(one)],
  ['findDeadlocks: false', { findDeadlocks: false }, (one) => hang(one)],
])('%s is not told', async (_what, options, act) => {
  const { runtime, one, two, warned } = setting(options);
  act(one, two);
  await runtime.advance(20_000);
  expect(warned).toEqual([]);
});

it('a wait for one piece of work after another is not told', async () => {
  const { runtime, one, warned } = setting();
  const first = createDeferred();
  watch(one.withLock('seat', () => first.promise));
  watch(one.withLock('seat', () => new Promise(() => {})));
  watch(one.acquire('seat'));
  await runtime.advance(500);
  first.resolve();
  await runtime.advance(20_000);
  expect(warned).toEqual([]);
});
