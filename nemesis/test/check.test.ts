import { expect, test } from 'vitest';
import { check } from '../src/check/check.ts';
import type { ControlEvent, RunLog, WorkerEvent } from '../src/log/events.ts';

function logOf(worker: readonly WorkerEvent[], control: readonly ControlEvent[]): RunLog {
  return { workers: new Map([['a', worker]]), register: [], control };
}

test('a failure is explained by a fault of the slot of its worker, but not by the end of another one', () => {
  const failed = (kind: string, slot: number) =>
    check(
      logOf(
        [
          { type: 'call', at: 0, id: 'a/1', call: { key: 'k', mode: 'exclusive', how: 'acquire' } },
          { type: 'failed', at: 100, id: 'a/1', code: 'LOCK_UNAVAILABLE', message: 'why' },
        ],
        [
          { type: 'worker', at: 0, worker: 'a', slot: 0 },
          { type: 'fault', at: 50, from: 10, kind, slot },
        ],
      ),
    ).violations;
  expect(failed('cut', 0)).toEqual([]);
  expect(failed('pause', 1)).toEqual([]);
  expect(failed('cut', 1)).toHaveLength(1);
  expect(failed('kill', 0)).toHaveLength(1);
});

test('what stays open after close, what no caller caught, and what the controller saw, are found', () => {
  const log = logOf(
    [
      { type: 'close', at: 0, heap: 1, open: ['TCPSocketWrap'] },
      { type: 'crash', at: 1, message: 'why' },
    ],
    [{ type: 'wrong', at: 0, message: '"k" still has 1 holders' }],
  );
  expect(check(log).violations).toHaveLength(3);
});
