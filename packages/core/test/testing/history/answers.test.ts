import { expect, test } from 'vitest';
import { checkHistory, excerptOf } from '../../../src/testing/index.ts';
import type { CheckHistoryOptions, HistoryCall, HistoryEvent } from '../../../src/testing/index.ts';
import { historyOf, killedAfter, lease } from './histories.ts';

function violations(events: readonly HistoryEvent[], options?: CheckHistoryOptions): readonly string[] {
  return checkHistory(events, options).map(({ rule, message }) => `${rule}: ${message}`);
}

function call(more: Partial<HistoryCall> = {}): readonly HistoryEvent[] {
  return historyOf({ type: 'call', at: 0, id: 'a/1', call: { key: 'k', mode: 'exclusive', how: 'acquire', ...more } });
}

test('a release that answers false while the hold was certain is found', () => {
  const released = (to: number) => violations(lease('a/1', 1, { from: 0, to, left: 500, answer: false }));
  expect(released(100)).toEqual([expect.stringMatching(/^answers: .*release returned false 399.0 ms before/)]);
  expect(released(600)).toEqual([]);
  const events = lease('a/1', 1, { from: 0, to: 100, left: 500, answer: false });
  expect(checkHistory(events, { requestsMayRepeat: true })).toEqual([]);
});

test('a loss before the promised end, and a lease that is held after it, are found', () => {
  const lost = (at: number, held: boolean) =>
    violations(
      killedAfter([
        ...lease('a/1', 1, { from: 0, left: 500 }),
        ...historyOf({ type: 'lost', at, id: 'a/1', code: 'LOCK_LOST', held }),
      ]),
    );
  expect(lost(500, false)).toEqual([]);
  expect(lost(100, false)).toEqual([expect.stringMatching(/was lost \(LOCK_LOST\) 400.0 ms before/)]);
  expect(lost(500, true)).toEqual([expect.stringMatching(/called itself held after/)]);
});

test('a hold may end early where the store lost its data meanwhile, and only there', () => {
  const emptied = (from: number, at: number, emptying = ['empty']) =>
    violations(
      killedAfter([
        ...lease('a/1', 1, { from: 0, left: 500 }),
        ...historyOf(
          { type: 'lost', at: 300, id: 'a/1', code: 'LOCK_LOST', held: false },
          { type: 'fault', at, from, kind: 'empty' },
        ),
      ]),
      { emptying },
    );
  expect(emptied(100, 200)).toEqual([]);
  expect(emptied(100, 200, [])).toEqual([expect.stringMatching(/was lost/)]);
  expect(emptied(400, 450)).toEqual([expect.stringMatching(/was lost/)]);
  expect(emptied(-200, -100)).toEqual([expect.stringMatching(/was lost/)]);
});

test('a call and a release that are never answered are found, unless the process was killed', () => {
  expect(violations(killedAfter(call()))).toEqual([]);
  expect(violations(call())).toEqual([expect.stringMatching(/^liveness: .*was never answered/)]);
  expect(violations(lease('a/1', 1, { from: 0 }))).toEqual([expect.stringMatching(/neither released nor lost/)]);
  const released = historyOf({ type: 'release', at: 1, id: 'a/1', remaining: 0 });
  expect(violations([...lease('a/1', 1, { from: 0 }), ...released])).toEqual([
    expect.stringMatching(/release was never answered/),
  ]);
  const lost = historyOf({ type: 'lost', at: 1_000, id: 'a/1', code: 'LOCK_LOST', held: false });
  expect(violations([...lease('a/1', 1, { from: 0 }), ...lost])).toEqual([]);
});

test('a wait beyond the bound is found where there is no fault', () => {
  const granted = (at: number, calm: boolean, healed: number, ...stalls: readonly (readonly [number, number])[]) =>
    violations(
      killedAfter([
        ...call({ calm }),
        ...historyOf(...stalls.map(([from, to]) => ({ type: 'fault', at: to, from, kind: 'stall' }) as const)),
        ...historyOf({ type: 'healed', at: healed }, { type: 'granted', at, id: 'a/1', token: '1', remaining: 100 }),
      ]),
    );
  expect(granted(14_000, true, 20_000)).toEqual([]);
  expect(granted(16_000, true, 20_000)).toEqual([expect.stringMatching(/waited 16.0 s for "k" without any fault/)]);
  expect(granted(32_000, false, 1_000)).toEqual([expect.stringMatching(/waited 31.0 s/)]);
  expect(granted(32_000, false, 10_000)).toEqual([]);
  // Time with any fault does not count, and no moment twice.
  expect(granted(16_000, true, 20_000, [2_000, 2_600], [2_500, 3_100])).toEqual([]);
  expect(granted(16_000, true, 20_000, [2_000, 2_800], [2_100, 2_900], [15_950, 20_000])).toEqual([
    expect.stringMatching(/waited 15.1 s/),
  ]);
});

test('a failure needs a fault that explains it', () => {
  const failed = (code: string, ...hits: readonly (string | undefined)[]) =>
    violations([
      ...call(),
      ...historyOf(
        { type: 'failed', at: 100, id: 'a/1', code, message: 'why' },
        ...hits.map((hit) => ({ type: 'fault', at: 50, from: 10, kind: 'cut', ...(hit && { hit }) }) as const),
      ),
    ]);
  expect(failed('LOCK_UNAVAILABLE', 'a')).toEqual([]);
  expect(failed('LOCK_UNAVAILABLE', undefined)).toEqual([]);
  expect(failed('LOCK_UNAVAILABLE')).toHaveLength(1);
  expect(failed('LOCK_UNAVAILABLE', 'b')).toHaveLength(1);
  expect(failed('LOCK_INVALID', 'a')).toHaveLength(1);
  expect(failed('LOCK_TIMEOUT', 'a')).toHaveLength(1);
});

test('a short wait may end before an answer comes, but not a long one', () => {
  const failed = (more: Partial<HistoryCall>, at = more.wait ?? 10) =>
    violations([
      ...call(more),
      ...historyOf({ type: 'failed', at, id: 'a/1', code: 'LOCK_UNAVAILABLE', message: 'why' }),
    ]);
  expect(failed({ wait: 40 })).toEqual([]);
  expect(failed({ wait: 2_500 })).toHaveLength(1);
  // The last look was not answered.
  expect(failed({ wait: 2_500 }, 2_800)).toEqual([]);
  // One attempt, and an endless wait.
  expect(failed({ how: 'tryAcquire' })).toEqual([]);
  expect(failed({})).toHaveLength(1);
});

test('an excerpt has the calls of a violation, the faults meanwhile, and nothing else', () => {
  const events = [
    ...lease('a/1', 1, { from: 100, to: 110 }),
    ...lease('c/1', 9, { from: 0, to: 200, call: { key: 'other' } }),
    ...lease('b/1', 2, { from: 109, to: 120 }),
    ...historyOf(
      { type: 'fault', at: 105, from: 101, kind: 'cut' },
      { type: 'fault', at: 90, from: 80, kind: 'before' },
    ),
  ];
  const [violation] = checkHistory(events);
  const lines = excerptOf(events, violation!).split('\n');
  expect(lines[0]).toBe(violation?.message);
  expect(lines.slice(1).map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
    '0.0 a a/1 calls acquire("k"), exclusive',
    '0.0 a a/1 is granted with token 1, for 1000.0 ms',
    '1.0 control fault: cut of the store, for 4.0 ms',
    '9.0 b b/1 calls acquire("k"), exclusive',
    '9.0 b b/1 is granted with token 2, for 1000.0 ms',
    '10.0 a a/1 releases, 990.0 ms before its end',
    '11.0 a a/1: release answers true',
    '20.0 b b/1 releases, 989.0 ms before its end',
    '21.0 b b/1: release answers true',
  ]);
});
