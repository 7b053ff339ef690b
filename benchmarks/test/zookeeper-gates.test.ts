import { expect, test } from 'vitest';
import { evaluateGates } from '../src/gates/gates.ts';
import type { Result } from '../src/results.ts';

function verdicts(...results: Result[]): Record<string, boolean> {
  return Object.fromEntries(evaluateGates(results).map(({ target, met }) => [target, met]));
}

const cell = {
  scenario: 'zookeeper/contended',
  subject: '@locks',
  processes: 4,
  hold: 0,
  operationsPerAcquisition: 4.9,
  inversions: 0,
  fairness: 0.99,
  starved: 0,
  failures: 0,
  violations: 0,
};

test('the latency of an acquire and the pairs of one at once have gates; of fifty, those over Curator only', () => {
  const ours = { scenario: 'zookeeper/uncontended', subject: '@locks' };
  expect(
    verdicts(
      { ...ours, concurrency: 1, acquireToRaw: 1.11, ratioToCurator: 1.2, ratioToKazoo: 1.19 },
      { ...ours, concurrency: 50, acquireToRaw: 3, ratioToCurator: 1.49, ratioToKazoo: 0.5 },
      { ...ours, subject: 'raw client', concurrency: 1, acquireToRaw: 1, ratioToCurator: 1.3, ratioToKazoo: 1.5 },
    ),
  ).toEqual({
    'ZooKeeper, 1 at once: acquire p50 ≤ 1.1 × raw': false,
    'ZooKeeper, 1 at once: ≥ 1.2 × Curator': true,
    'ZooKeeper, 1 at once: ≥ 1.2 × kazoo': false,
    'ZooKeeper, 50 at once: ≥ 1.5 × Curator': false,
  });
});

test('on a server that does not wait for its disk the pairs have a gate of their own', () => {
  const unsynced = { scenario: 'zookeeper/unsynced', concurrency: 1, acquireToRaw: 3, ratioToKazoo: 0.5 };
  expect(
    verdicts(
      { ...unsynced, subject: '@locks', ratioToCurator: 1.19 },
      { ...unsynced, subject: 'raw client', ratioToCurator: 2 },
    ),
  ).toEqual({ 'ZooKeeper, 1 at once, no wait for the disk: ≥ 1.2 × Curator': false });
});

test('a peer that was left out has no gate', () => {
  const ours = { scenario: 'zookeeper/uncontended', subject: '@locks', concurrency: 1, acquireToRaw: 1.1 };
  expect(verdicts(ours)).toEqual({ 'ZooKeeper, 1 at once: acquire p50 ≤ 1.1 × raw': true });
});

test('the worst setting with a thousand waiters counts, and nothing of a peer', () => {
  expect(
    verdicts(
      { ...cell, waiters: 1_000, fairness: 0.5 },
      { ...cell, waiters: 1_000, hold: 2, operationsPerAcquisition: 5.01 },
      { ...cell, waiters: 100, operationsPerAcquisition: 9, fairness: 0.94 },
      { ...cell, subject: 'kazoo', waiters: 1_000, operationsPerAcquisition: 7, violations: 1, failures: 3 },
    ),
  ).toEqual({
    'ZooKeeper, 1000 waiters: ≤ 5 operations per acquisition, in any setting': false,
    'ZooKeeper, contended: no inversion': true,
    'ZooKeeper, contended: Jain ≥ 0.95 with 100 workers': false,
    'ZooKeeper, contended: no worker starved': true,
    'ZooKeeper, contended: no call failed': true,
    'ZooKeeper, contended: never two holders': true,
  });
});

test('no worker starves in a cell that was too short to serve all', () => {
  const target = 'ZooKeeper, contended: no worker starved';
  const short = { ...cell, waiters: 1_000, starved: 30 };
  expect(verdicts({ ...short, acquisitions: 1_499 })).not.toHaveProperty([target]);
  expect(verdicts({ ...short, acquisitions: 1_500 })).toHaveProperty([target], false);
});

test('the total time is compared with that of each peer in as many processes', () => {
  const total = { scenario: 'zookeeper/total-time', processes: 1 };
  expect(
    verdicts(
      { ...total, subject: '@locks', totalTime: 900 },
      { ...total, subject: 'Curator', totalTime: 901 },
      { ...total, subject: 'kazoo', totalTime: 900 },
      { ...total, subject: 'raw client', totalTime: 1 },
      { ...total, processes: 4, subject: '@locks', totalTime: undefined },
      { ...total, processes: 4, subject: 'Curator', totalTime: 5_000 },
    ),
  ).toEqual({
    'ZooKeeper, 20 × 10 at 2 ms hold, 1 process(es): faster than Curator': true,
    'ZooKeeper, 20 × 10 at 2 ms hold, 1 process(es): faster than kazoo': false,
    'ZooKeeper, 20 × 10 at 2 ms hold, 4 process(es): faster than Curator': false,
  });
});

test('a cell that has no figures meets no gate', () => {
  const broken = { scenario: 'zookeeper/contended', subject: '@locks', waiters: 1_000, failures: 1 };
  const all = Object.values(verdicts(broken));
  expect(all.length).toBeGreaterThan(0);
  expect(all).not.toContain(true);
});
