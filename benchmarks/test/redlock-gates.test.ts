import { expect, test } from 'vitest';
import { evaluateGates } from '../src/gates/gates.ts';
import type { Result } from '../src/results.ts';

function short(...results: Result[]): string[] {
  return evaluateGates(results)
    .filter(({ met }) => !met)
    .map(({ target }) => target);
}

test('speed of a quorum is judged by the fastest peer, with and without tokens', () => {
  const cell = { scenario: 'redlock/uncontended', concurrency: 64 };
  const fenced = { ...cell, subject: '@locks', ratioToPeer: 0.69 };
  const unfenced = { ...cell, subject: '@locks, no fencing', ratioToPeer: 1 };
  expect(short(fenced, unfenced)).toEqual(['quorum, 64 at once, fencing: ≥ 0.7 × the fastest peer']);
  expect(short({ ...fenced, ratioToPeer: 0.7 }, { ...unfenced, ratioToPeer: 0.9 })).toEqual([
    'quorum, 64 at once, no fencing: ≥ 1 × the fastest peer',
  ]);
});

test('gaps of a quorum are judged in round trips over links, and at 64 contenders against those at 16', () => {
  const cell = {
    scenario: 'redlock/contended',
    subject: '@locks',
    roundTrip: 2,
    linkDelay: 1,
    wanted: 320,
    completed: 320,
    fairness: 1,
    meanWait: 100,
    longestWait: 400,
    violations: 0,
  };
  const few = { ...cell, waiters: 16, p50: 10, p99: 70 };
  const many = { ...cell, waiters: 64, p50: 20, p99: 160 };
  // On loopback a round trip is time of the processor.
  expect(short(few, many, { ...few, linkDelay: 0, p50: 1_000 })).toEqual([]);
  expect(short({ ...few, p50: 17 }, many)).toEqual(['quorum, 16 over links: gap p50 ≤ 8 round trips']);
  expect(short(few, { ...many, p50: 21 })).toEqual(['quorum, 64 over links: gap p50 ≤ 2 × that of 16']);
  expect(short(few, { ...many, completed: 319 })).toEqual(['quorum, contended: all acquisitions succeed']);
  expect(short({ ...few, longestWait: 401 }, many)).toEqual(['quorum, contended: longest wait ≤ 4 × the mean']);
});

test('a frozen node may cost one member timeout', () => {
  const cell = { scenario: 'redlock/frozen', subject: '@locks', node: 1, slowPairs: 1, slowTime: 510 };
  expect(short(cell, { ...cell, node: 2, slowPairs: 0, slowTime: 0 })).toEqual([]);
  expect(short({ ...cell, slowPairs: 2, slowTime: 1_010 })).toEqual([
    'quorum, a frozen node: ≤ 1 slow pair of each worker',
    'quorum, a frozen node: costs ≤ 1.2 member timeouts',
  ]);
});
