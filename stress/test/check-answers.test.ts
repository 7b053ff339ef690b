import { expect, test } from 'vitest';
import { check } from '../src/check/check.ts';
import type { ControlEvent, RunLog, WorkerEvent } from '../src/log/events.ts';
import { at, lease, logOf } from './logs.ts';

function violations(log: RunLog): readonly string[] {
  return check(log).violations;
}

const call = (calm = false): WorkerEvent => ({
  ev: 'call',
  t: at(0),
  id: 'a/1',
  ask: { key: 'k', mode: 'exclusive', how: 'acquire', renew: true, reentrant: false, calm },
});

test('a release that answers false while the hold was certain is found', () => {
  const log = (to: number): RunLog => logOf({ a: lease('a/1', 1, { from: 0, to, left: 500, answer: false }) });
  expect(violations(log(100))).toEqual([expect.stringMatching(/release answered false 399.0 ms before/)]);
  expect(violations(log(600))).toEqual([]);
});

test('a loss before the promised end, and a lease that is held after it, are found', () => {
  const lost = (ms: number, held: boolean): RunLog =>
    logOf({
      a: [...lease('a/1', 1, { from: 0, left: 500 }), { ev: 'lost', t: at(ms), id: 'a/1', code: 'LOCK_LOST', held }],
    });
  expect(violations(lost(500, false))).toEqual([]);
  expect(violations(lost(100, false))).toEqual([expect.stringMatching(/was lost \(LOCK_LOST\) 400.0 ms before/)]);
  expect(violations(lost(500, true))).toEqual([expect.stringMatching(/called itself held after/)]);
});

test('a hold may end early where a server lost its data meanwhile, and only there', () => {
  const lost: readonly WorkerEvent[] = [
    ...lease('a/1', 1, { from: 0, left: 500 }),
    { ev: 'lost', t: at(300), id: 'a/1', code: 'LOCK_LOST', held: false },
  ];
  const emptied = (from: number, to: number): readonly ControlEvent[] => [
    { ev: 'fault', t: at(to), from: at(from), kind: 'server-empty' },
    { ev: 'exit', t: at(10_000), worker: 'a', how: 'killed' },
  ];
  expect(violations(logOf({ a: lost }, [], emptied(100, 200)))).toEqual([]);
  expect(violations(logOf({ a: lost }, [], emptied(400, 450)))).toEqual([expect.stringMatching(/was lost/)]);
  expect(violations(logOf({ a: lost }, [], emptied(-200, -100)))).toEqual([expect.stringMatching(/was lost/)]);
});

test('a call that a worker answered never is found, unless the worker was killed', () => {
  expect(violations(logOf({ a: [call()] }))).toEqual([]);
  expect(violations(logOf({ a: [call()] }, [], []))).toEqual([expect.stringMatching(/was never answered/)]);
});

test('a wait in the calm beyond the bound is found', () => {
  const granted = (ms: number): RunLog =>
    logOf({ a: [call(true), { ev: 'grant', t: at(ms), id: 'a/1', token: '1', left: 100 }] });
  expect(violations(granted(14_000))).toEqual([]);
  expect(violations(granted(16_000))).toEqual([expect.stringMatching(/waited 16.0 s for "k" without any fault/)]);
});

test('a failure needs a fault that explains it', () => {
  const failed = (code: string, faults: readonly ControlEvent[]): RunLog =>
    logOf(
      { a: [call(), { ev: 'failed', t: at(100), id: 'a/1', code, message: 'why' }] },
      [],
      [{ ev: 'worker', t: at(0), worker: 'a', slot: 0 }, ...faults],
    );
  const fault = (kind: string, slot: number): ControlEvent => ({ ev: 'fault', t: at(50), from: at(10), kind, slot });
  expect(violations(failed('LOCK_UNAVAILABLE', [fault('cut', 0)]))).toEqual([]);
  expect(violations(failed('LOCK_UNAVAILABLE', []))).toHaveLength(1);
  expect(violations(failed('LOCK_UNAVAILABLE', [fault('cut', 1)]))).toHaveLength(1);
  expect(violations(failed('LOCK_UNAVAILABLE', [fault('kill', 0)]))).toHaveLength(1);
  expect(violations(failed('LOCK_INVALID', [fault('cut', 0)]))).toHaveLength(1);
  expect(violations(failed('LOCK_TIMEOUT', [fault('cut', 0)]))).toHaveLength(1);
});

test('a short wait may end before an answer comes, but not a long one', () => {
  const failed = (how: 'acquire' | 'tryAcquire', wait?: number, ended = wait ?? 10): RunLog =>
    logOf({
      a: [
        {
          ev: 'call',
          t: at(0),
          id: 'a/1',
          ask: {
            key: 'k',
            mode: 'exclusive',
            how,
            renew: true,
            reentrant: false,
            calm: false,
            ...(wait === undefined ? {} : { wait }),
          },
        },
        { ev: 'failed', t: at(ended), id: 'a/1', code: 'LOCK_UNAVAILABLE', message: 'why' },
      ],
    });
  expect(violations(failed('acquire', 40))).toEqual([]);
  expect(violations(failed('acquire', 2_500))).toHaveLength(1);
  // The last look was not answered.
  expect(violations(failed('acquire', 2_500, 2_800))).toEqual([]);
  // One attempt, and an endless wait.
  expect(violations(failed('tryAcquire'))).toEqual([]);
  expect(violations(failed('acquire'))).toHaveLength(1);
});

test('what stays open after close, and what the controller saw, are found', () => {
  const log = logOf(
    { a: [{ ev: 'close', t: at(0), heap: 1, open: ['TCPSocketWrap'] }] },
    [],
    [{ ev: 'wrong', t: at(0), message: '"k" still has 1 holders' }],
  );
  expect(violations(log)).toHaveLength(2);
});
