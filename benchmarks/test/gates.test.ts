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
  expect(verdicts({ scenario: 'redis/heap', subject: '@locks' })).toEqual({ 'heap per held lease: ≤ 700 B': false });
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
    { ...cell, subject: '@locks', waiters: 10, p50: 0.2, commandsPerAcquisition: 3 },
    { ...cell, subject: '@locks', waiters: 1_000, p50: 0.5, commandsPerAcquisition: 3.6 },
  );
  expect(all).toEqual({
    'contended: ≤ 3.5 client commands per acquisition, in any setting': false,
    'contended: gap p50 ≤ 3 × reference, in any setting': true,
    'contended: gap p50 with 1000 waiters ≤ 1.5 × that with 10': false,
    'contended: no inversion': true,
    'contended: no worker starved': true,
    'contended: never two holders, of any subject': true,
  });
});

test('a peer that was not done in time is no rival, and to be slower than the best is short', () => {
  const cell = { scenario: 'redis/total-time', processes: 4, hold: 2, waiters: 100 };
  const target = "total time at 2 ms hold, 4 process(es): below every peer's";
  const ours = { ...cell, subject: '@locks', totalTime: 2_500 };
  const peer = { ...cell, subject: 'verrou' };
  expect(verdicts(ours, peer)[target]).toBe(true);
  expect(verdicts(ours, { ...peer, totalTime: 2_400 })[target]).toBe(false);
});
