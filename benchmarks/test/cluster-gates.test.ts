import { expect, test } from 'vitest';
import { evaluateGates } from '../src/gates/gates.ts';
import type { Result } from '../src/results.ts';

function short(...results: Result[]): string[] {
  return evaluateGates(results)
    .filter(({ met }) => !met)
    .map(({ target }) => target);
}

test('a Cluster is judged by one server in the same setting', () => {
  const cell = {
    scenario: 'redis-cluster/contended',
    processes: 4,
    hold: 0,
    commandsPerAcquisition: 3,
    inversions: 0,
    violations: 0,
  };
  const server = { ...cell, subject: '@locks', ratioToServer: 1 };
  const cluster = { ...cell, subject: '@locks, Cluster', ratioToServer: 1.3 };
  const both = [server, cluster].map((one) => ({ ...one, waiters: 10 }));
  expect(short(...both)).toEqual([]);
  // In another setting one server sends more, too.
  const [more, most] = [server, cluster].map((one) => ({ ...one, waiters: 100, commandsPerAcquisition: 6 }));
  expect(short(...both, more!, most!)).toEqual([]);
  expect(short(...both, { ...server, waiters: 100 }, most!)).toEqual([
    'Cluster, contended: commands per acquisition ≤ 1.3 × one server, in any setting',
  ]);
  expect(short(server, { ...cluster, ratioToServer: 1.4, violations: 1 })).toEqual([
    'Cluster, contended: gap p50 ≤ 1.3 × one server, in any setting',
    'Cluster, contended: never two holders',
  ]);
});

test('a pair on a Cluster may not need other commands than on one server', () => {
  const cell = { scenario: 'redis-cluster/uncontended', concurrency: 1 };
  const server = { ...cell, subject: '@locks', commandsPerAcquisition: 2 };
  expect(short(server, { ...cell, subject: '@locks, Cluster', commandsPerAcquisition: 2.02 })).toEqual([]);
  expect(short(server, { ...cell, subject: '@locks, Cluster', commandsPerAcquisition: 3 })).toEqual([
    'Cluster, 1 at once: commands per pair ≤ 1.3 × one server',
  ]);
  // With more at once, one server gets one command for several calls.
  const together = { ...cell, concurrency: 64, commandsPerAcquisition: 2 };
  const one = { ...together, subject: '@locks', commandsPerAcquisition: 0.06 };
  expect(short(one, { ...together, subject: '@locks, Cluster' })).toEqual([]);
});
