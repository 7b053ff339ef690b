import { expect, test } from 'vitest';
import { evaluateGates } from '../src/gates/gates.ts';
import type { Result } from '../src/results.ts';

function verdicts(...results: Result[]): Record<string, boolean> {
  return Object.fromEntries(evaluateGates(results).map(({ target, met }) => [target, met]));
}

test('what was not measured has no gates', () => {
  expect(evaluateGates([])).toEqual([]);
});

test('a figure that is missing where there should be one meets no gate', () => {
  expect(verdicts({ scenario: 'redis/heap', subject: '@locks' })).toEqual({ 'heap per held lease: ≤ 350 B': false });
});

test('the gap is compared with the reference of the same setting, and with fewer waiters', () => {
  const cell = {
    scenario: 'redis/contended',
    processes: 1,
    hold: 2,
    fairness: 1,
    inversions: 0,
    starved: 0,
    violations: 0,
  };
  const push = { scenario: 'redis/contended', subject: 'PUBLISH → message', processes: 1, hold: 2 };
  const all = verdicts(
    { ...push, waiters: 10, p50: 0.1 },
    { ...push, waiters: 1_000, p50: 0.2 },
    { ...cell, subject: '@locks', waiters: 10, p50: 0.2, commandsPerAcquisition: 2 },
    { ...cell, subject: '@locks', waiters: 1_000, p50: 0.5, commandsPerAcquisition: 2.3 },
  );
  expect(all).toEqual({
    'contended: ≤ 2.2 client commands per acquisition, in any setting': false,
    'contended: gap p50 ≤ 1.5 × reference, in any setting': false,
    'contended: gap p50 with 1000 waiters ≤ 1.5 × that with 10': false,
    'contended: no inversion': true,
    'contended: no worker starved': true,
    'contended: never two holders, of any subject': true,
  });
});

test('a peer that was not done in time is no rival, and to be slower than the best is short', () => {
  const cell = { scenario: 'redis/total-time', processes: 4, hold: 2, waiters: 100 };
  const target = "total time at 2 ms hold, 4 process(es): ≤ 2400 ms, and below every peer's";
  const ours = { ...cell, subject: '@locks', totalTime: 2_400 };
  const peer = { ...cell, subject: 'verrou' };
  expect(verdicts(ours, peer)[target]).toBe(true);
  expect(verdicts(ours, { ...peer, totalTime: 2_300 })[target]).toBe(false);
  expect(verdicts({ ...ours, totalTime: 2_500 }, peer)[target]).toBe(false);
});

test('speed is judged against the raw client and the best peer of the same concurrency', () => {
  const cell = { scenario: 'redis/uncontended', concurrency: 64, commandsPerAcquisition: 2 };
  const raw = { ...cell, subject: 'raw client', perSecond: 100, p99: 1 };
  const peers = [80, 90].map((perSecond) => ({ ...cell, subject: `peer of ${perSecond}`, perSecond }));
  const other = { ...raw, concurrency: 8, p99: 9 };
  const all = verdicts(raw, other, ...peers, { ...cell, subject: '@locks', ratioToRaw: 1.5, perSecond: 110, p99: 1.4 });
  expect(all).toMatchObject({
    'uncontended, 64 at once: ≥ 1.4 × raw': true,
    'uncontended, 64 at once: p99 ≤ 1.3 × raw': false,
    'uncontended, 64 at once: ≥ 1.3 × the best peer': false,
  });
});

test('renewals are judged by the CPU time of client and server', () => {
  const cell = { scenario: 'redis/renewal', leases: 10_000 };
  const all = verdicts(
    { ...cell, subject: '@locks', clientCpu: 20, serverCpu: 30 },
    { ...cell, subject: 'redis-semaphore', clientCpu: 40, serverCpu: 40 },
  );
  expect(Object.values(all)).toEqual([true, false]);
});

test('memory is compared with the faster build of async-mutex in the same cell', () => {
  const cell = { scenario: 'memory/contended', concurrency: 10 };
  const peers = [
    { ...cell, subject: 'async-mutex', perSecond: 10 },
    { ...cell, subject: 'async-mutex, CommonJS', perSecond: 100 },
  ];
  const target = 'memory, contended, 10 worker(s): ≥ 1 × async-mutex, its faster build';
  expect(verdicts(...peers, { ...cell, subject: '@locks', perSecond: 101 })).toEqual({ [target]: true });
  expect(verdicts(...peers, { ...cell, subject: '@locks', perSecond: 99 })).toEqual({ [target]: false });
});
