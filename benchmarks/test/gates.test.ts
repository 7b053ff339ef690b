import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atLeast, atMost, below, exactly, judge, none } from '../src/gates/gate.ts';
import { evaluateGates } from '../src/gates/gates.ts';
import { quorumTargets } from '../src/gates/quorum.ts';
import { clusterTargets, redisTargets } from '../src/gates/redis.ts';
import { sqlTargets } from '../src/gates/sql.ts';
import { zookeeperTargets } from '../src/gates/zookeeper.ts';
import type { Result } from '../src/results.ts';

function verdicts(...results: Result[]): Record<string, boolean> {
  return Object.fromEntries(evaluateGates(results).map(({ target, met }) => [target, met]));
}

const resultsOf = (file: string): readonly Result[] => {
  const text = readFileSync(new URL(`../results/${file}`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly results: readonly Result[] }).results;
};

test.each([
  [atLeast, [3, 2], 2, true],
  [atLeast, [3, 2], 2.5, false],
  [atMost, [3, 2], 3, true],
  [atMost, [3, 2], 2.5, false],
  [below, [3, 2], 3, false],
  [exactly, [2, 2], 2, true],
  [exactly, [2, 2.1], 2, false],
  [exactly, [1.9], 2, false],
])('the worst figure counts: %o of %j, %d: %s', (rule, values, limit, met) => {
  const results = values.map((p50): Result => ({ scenario: 'any', subject: 'any', p50 }));
  expect(judge([rule('target', () => true, 'p50', limit)], results)).toMatchObject([{ target: 'target', met }]);
});

test('one violation of all results is one too many; a missing figure meets no gate; a peer left out has none', () => {
  const results: Result[] = [0, 1].map((violations) => ({ scenario: 'any', subject: 'any', violations }));
  const met = (target: Parameters<typeof judge>[0][number], of = results) =>
    judge([target], of).map((gate) => gate.met);
  const never = none('never', () => true, 'violations');
  expect(met(never)).toEqual([false]);
  expect(met(never, results.slice(0, 1))).toEqual([true]);
  expect(met(none('other', () => true, 'inversions'))).toEqual([false]);
  expect(
    met(
      atLeast(
        'peer',
        () => true,
        ({ ratioToVerrou }) => ratioToVerrou,
        1,
      ),
    ),
  ).toEqual([]);
  expect(evaluateGates([])).toEqual([]);
});

test('every target judges a figure that was kept, or that the page about results prints', () => {
  const kept = readdirSync(new URL('../results', import.meta.url)).filter((name) => name.endsWith('.json'));
  const judged = new Set(kept.flatMap((file) => evaluateGates(resultsOf(file)).map(({ target }) => target)));
  const targets = [redisTargets, clusterTargets, quorumTargets, sqlTargets, zookeeperTargets].flat();
  expect(
    targets.map(({ target }) => target).filter((target) => !judged.has(target) && !target.includes('512 at once')),
  ).toEqual([]);
});

test('cells are compared with those of the same setting', () => {
  const cell = { scenario: 'redis/contended', processes: 1, hold: 2, subject: '@locks' };
  const push = { ...cell, subject: 'PUBLISH → message' };
  expect(
    verdicts(
      { ...push, waiters: 10, p50: 0.1 },
      { ...push, waiters: 1_000, p50: 0.2 },
      { ...cell, waiters: 10, p50: 0.2 },
      { ...cell, waiters: 1_000, p50: 0.25 },
    ),
  ).toMatchObject({
    'contended: gap p50 ≤ 1.5 × reference, in any setting': false,
    'contended: gap p50 with 1000 waiters ≤ 1.5 × that with 10': true,
  });
});

test('a peer that was not done in time is no rival, and to be slower than the best is short', () => {
  const cell = { scenario: 'redis/total-time', processes: 4, hold: 2, waiters: 100 };
  const target = "total time at 2 ms hold, 4 process(es): below every peer's";
  const ours = { ...cell, subject: '@locks', totalTime: 2_400 };
  const peer = { ...cell, subject: 'verrou' };
  expect(verdicts(ours, peer)[target]).toBe(true);
  expect(verdicts(ours, { ...peer, totalTime: 2_300 })[target]).toBe(false);
  expect(verdicts({ ...cell, subject: '@locks' }, { ...peer, totalTime: 2_300 })[target]).toBe(false);
});

test('no worker starves in a cell that was too short to serve all, nor where the order is not observed', () => {
  const target = 'SQL, contended: no worker starved';
  const ours = { scenario: 'mariadb/contended', subject: '@locks', waiters: 100, starved: 3 };
  expect(verdicts({ ...ours, acquisitions: 149 })).not.toHaveProperty([target]);
  expect(verdicts({ ...ours, acquisitions: 150 })).toHaveProperty([target], false);
  expect(verdicts({ ...ours, acquisitions: 150, starved: 0 })).toHaveProperty([target], true);
  expect(verdicts({ ...ours, subject: '@locks without routines' })).not.toHaveProperty([target]);
});

test('gaps of a quorum are judged in round trips over links, and at 64 contenders against those at 16', () => {
  const cell = { scenario: 'redlock/contended', subject: '@locks', roundTrip: 2, linkDelay: 1 };
  const [few, many] = [
    { ...cell, waiters: 16, p50: 10 },
    { ...cell, waiters: 64, p50: 21 },
  ];
  // On loopback a round trip is time of the processor.
  expect(verdicts(few, many, { ...few, linkDelay: 0, p50: 1_000 })).toMatchObject({
    'quorum, 16 over links: gap p50 ≤ 8 round trips': true,
    'quorum, 64 over links: gap p50 ≤ 2 × that of 16': false,
  });
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
