import { expect, test } from 'vitest';
import type { ControlEvent, RunLog } from '../src/log/events.ts';
import { checkStatus } from '../src/migration/check-status.ts';

/** A process under `phase` from 10 on, and under `to` from 100 on. */
function logOf(phase: string, status: Partial<Extract<ControlEvent, { readonly type: 'status' }>>): RunLog {
  const under = (at: number, name: string) => ({ type: 'under', at, migration: 'm', phase: name }) as const;
  return {
    workers: new Map([['a', [under(10, phase), under(100, 'to')]]]),
    register: [],
    control: [
      { type: 'worker', at: 0, worker: 'a', slot: 3 },
      {
        ...{ type: 'status', at: 30, from: 20, migration: 'm', settled: true, reached: [] },
        processes: [{ process: 'slot-3', effective: phase }],
        ...status,
      },
    ],
  };
}

const violations = (...given: Parameters<typeof logOf>): readonly string[] => [...checkStatus(logOf(...given))];

test('a status that says what the process did is right', () => {
  expect(violations('both', {})).toEqual([]);
  expect(violations('both', { reached: ['both'] })).toEqual([]);
  expect(violations('both', { at: 130, processes: [{ process: 'slot-3', effective: 'to' }] })).toEqual([]);
});

test('a status with another phase, without the process, or with two of it is found', () => {
  for (const effective of [['to'], [], ['both', 'both']]) {
    const processes = effective.map((phase) => ({ process: 'slot-3', effective: phase }));
    expect(violations('both', { processes })).toEqual([expect.stringMatching(/of slot-3, which was under both$/)]);
    expect(violations('both', { processes, settled: false })).toEqual([]);
  }
});

test.each([
  ['from', 'to'],
  ['to', 'from'],
  ['both', 'to'],
  ['from', 'both'],
])('with a process under %s a status that all are in %s is found, at any moment', (phase, reached) => {
  expect(violations(phase, { reached: [reached], settled: false })).toEqual([
    expect.stringMatching(`that all are in "${reached}", and slot-3 was under ${phase}`),
  ]);
});

test('a process that has ended, or begins, is not asked for', () => {
  const { control, ...log } = logOf('from', { reached: ['to'], processes: [] });
  const ended = { ...log, control: [...control, { type: 'exit', at: 25, worker: 'a', how: '' }] } as const;
  expect([...checkStatus(ended)]).toEqual([]);
  expect(violations('from', { reached: ['to'], processes: [], from: 5 })).toEqual([]);
});

test('the sign of a predecessor that ended a moment ago is right too, under the same phase', () => {
  const processes = ['from', 'from'].map((effective) => ({ process: 'slot-3', effective }));
  const { control, ...log } = logOf('from', { processes });
  const before = [
    { type: 'worker', at: -2, worker: 'b', slot: 3 },
    { type: 'exit', at: -1, worker: 'b', how: 'killed' },
  ] as const;
  expect([...checkStatus({ ...log, control: [...before, ...control] })]).toEqual([]);
  const long = before.map((event) => ({ ...event, at: event.at - 5_000 }));
  expect([...checkStatus({ ...log, control: [...long, ...control] })]).toHaveLength(1);
});
