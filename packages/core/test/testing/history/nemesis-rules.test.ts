import { expect, test } from 'vitest';
import type { CheckHistoryOptions, HistoryEvent } from '../../../src/testing/index.ts';
import { historyOf, lease, violations } from './histories.ts';

const lost = (at: number) => historyOf({ type: 'lost', at, id: 'a/1', code: 'LOCK_LOST', held: false });
const stop = (from: number, at: number, kind = 'pause') => historyOf({ type: 'fault', kind, from, at, hit: 'a' });

test('a loss that is told after the promised end is found, unless the process did not run until then', () => {
  const held = lease('a/1', 1, { from: 0, left: 300 });
  const told = (...events: readonly HistoryEvent[]) => violations(events, { stopping: ['pause'] });
  expect(told(...held, ...lost(300))).toEqual([]);
  expect(violations([...held, ...lost(500)])).toEqual([]);
  expect(told(...held, ...lost(500))).toEqual([
    expect.stringMatching(/^told: a\/1 was notified of its loss 200\.0 ms after its promised end/),
  ]);
  expect(told(...held, ...lost(500), ...stop(200, 480))).toEqual([]);
  expect(told(...held, ...lost(500), ...stop(200, 400))).toHaveLength(1);
  expect(told(...held, ...lost(500), ...stop(200, 480, 'cut'))).toHaveLength(1);
});

test('a lease that was over, and whose holder was never told, is found', () => {
  const late = lease('a/1', 1, { from: 0, left: 300, to: 500, answer: false });
  expect(violations(late, { stopping: [] })).toEqual([
    expect.stringMatching(/^told: a\/1 was released .* and not notified of its loss/),
  ]);
});

test('a release by force ends the hold of its owner, and no other one', () => {
  const owned = (id: string, owner: string) =>
    lease(id, 1, { from: 0, left: 1_000 }).map((event) => (event.type === 'granted' ? { ...event, owner } : event));
  const forced = (owner: string) => historyOf({ type: 'forced', at: 50, key: 'k', owner });
  const next = lease('b/1', 2, { from: 100, to: 110 });
  expect(violations([...owned('a/1', 'one'), ...forced('one'), ...lost(200), ...next])).toEqual([]);
  expect(violations([...owned('a/1', 'one'), ...forced('other'), ...lost(200), ...next])).not.toEqual([]);
});

test('a key that rests is not given to another holder before that is over', () => {
  const resting = lease('a/1', 1, { from: 0, to: 10, call: { atLeast: 200 } });
  expect(violations([...resting, ...lease('b/1', 2, { from: 190, to: 195 })])).toEqual([
    expect.stringMatching(/two holders/),
  ]);
  expect(violations([...resting, ...lease('b/1', 2, { from: 201, to: 205 })])).toEqual([]);
});

test('who takes several permits counts as many times', () => {
  const two = lease('a/1', 1, { from: 0, to: 50, call: { mode: 'shared', permits: 3, count: 2 } });
  const other = (count: number) => lease('b/1', 5, { from: 10, to: 20, call: { mode: 'shared', permits: 3, count } });
  expect(violations([...two, ...other(1)])).toEqual([]);
  expect(violations([...two, ...other(2)])).toEqual([expect.stringMatching(/4 holders of the 3 permits/)]);
});

const waiter = (id: string, token: number, called: number, from: number, how: 'acquire' | 'multiLock' = 'acquire') => [
  ...historyOf({ type: 'call', at: called, id, call: { key: 'k', mode: 'exclusive', how } }),
  ...lease(id, token, { from, to: from + 1 }).slice(1),
];

test('where that is declared, a waiter that is overtaken is found, unless a fault was near', () => {
  const overtaken = [...waiter('a/1', 2, 0, 2_000), ...waiter('b/1', 1, 1_000, 1_500)];
  expect(violations(overtaken)).toEqual([]);
  expect(violations(overtaken, { fair: true })).toEqual([
    expect.stringMatching(/^order: b\/1 was granted "k" before a\/1, which waited 1000 ms longer/),
  ]);
  expect(violations([...overtaken, ...stop(900, 950)], { fair: true })).toEqual([]);
  expect(violations([...waiter('a/1', 2, 0, 2_000), ...waiter('b/1', 1, 300, 1_500)], { fair: true })).toEqual([]);
  const ofSeveral = [...waiter('a/1', 2, 0, 2_000, 'multiLock'), ...waiter('b/1', 1, 1_000, 1_500)];
  expect(violations(ofSeveral, { fair: true })).toEqual([]);
  // Its position was lost, but it must have had another one in time.
  const forgotten = [...waiter('a/1', 2, 0, 12_000), ...stop(900, 950), ...waiter('b/1', 1, 9_000, 9_100)];
  expect(violations(forgotten, { fair: true, calmPatience: 7_000 })).toEqual([expect.stringMatching(/^order: b\/1/)]);
  expect(violations(forgotten, { fair: true, calmPatience: 8_000 })).toEqual([]);
});

test('a key that is told to be busy while the store cannot answer is found', () => {
  const asked = (at: number) =>
    historyOf(
      { type: 'call', at, id: 'a/1', call: { key: 'k', mode: 'exclusive', how: 'tryAcquire' } },
      { type: 'busy', at: at + 10, id: 'a/1' },
    );
  const silent = stop(1_000, 2_000, 'silence');
  const options: CheckHistoryOptions = { silences: ({ kind }) => kind === 'silence' };
  expect(violations([...asked(1_500), ...silent], options)).toEqual([
    expect.stringMatching(/^failures: a\/1: tryAcquire reported "k" as busy during a silence/),
  ]);
  expect(violations([...asked(1_050), ...silent], options)).toEqual([]);
  expect(violations([...asked(1_500), ...silent])).toEqual([]);
});
