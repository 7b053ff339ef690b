import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';
import { curator, kazoo } from './peer-programs.ts';
import { atLeast, atMost, exactly, figuresOf, gate, largest, ofSubject, own, smallest, total } from '../gates/gate.ts';
import type { Gate } from '../gates/gate.ts';

export function zookeeperGates(results: readonly Result[]): Gate[] {
  return [...uncontendedGates(results), ...contendedGates(results), ...totalTimeGates(results)];
}

function uncontendedGates(results: readonly Result[]): Gate[] {
  const ours = ofSubject(results, 'zookeeper/uncontended', own);
  const [alone, fifty] = [1, 50].map((wanted) => ours.filter(({ concurrency }) => concurrency === wanted));
  const one = (cells: readonly Result[] | undefined, of: (result: Result) => number | undefined): number | undefined =>
    cells?.map(of)[0];
  const unsynced = ofSubject(results, 'zookeeper/unsynced', own);
  return [
    ...gate(
      'ZooKeeper, 1 at once, no wait for the disk: ≥ 1.2 × Curator',
      one(unsynced, (r) => r.ratioToCurator),
      atLeast(1.2, 2),
    ),
    ...gate(
      'ZooKeeper, 1 at once: acquire p50 ≤ 1.1 × raw',
      one(alone, (r) => r.acquireToRaw),
      atMost(1.1, 2),
    ),
    ...gate(
      'ZooKeeper, 1 at once: ≥ 1.2 × Curator',
      one(alone, (r) => r.ratioToCurator),
      atLeast(1.2, 2),
    ),
    ...gate(
      'ZooKeeper, 1 at once: ≥ 1.2 × kazoo',
      one(alone, (r) => r.ratioToKazoo),
      atLeast(1.2, 2),
    ),
    ...gate(
      'ZooKeeper, 50 at once: ≥ 1.5 × Curator',
      one(fifty, (r) => r.ratioToCurator),
      atLeast(1.5, 2),
    ),
  ];
}

function contendedGates(results: readonly Result[]): Gate[] {
  const ours = ofSubject(results, 'zookeeper/contended', own);
  const thousand = ours.filter(({ waiters }) => waiters === 1_000);
  const hundred = ours.filter(({ waiters }) => waiters === 100);
  // Where time was up before every worker could have had a turn, none is known to starve.
  const served = ours.filter(({ acquisitions = Infinity, waiters = 0 }) => acquisitions >= waiters * 1.5);
  return [
    ...gate(
      'ZooKeeper, 1000 waiters: ≤ 5 operations per acquisition, in any setting',
      largest(figuresOf(thousand, (r) => r.operationsPerAcquisition)),
      atMost(5, 2),
    ),
    ...gate('ZooKeeper, contended: no inversion', total(figuresOf(ours, (r) => r.inversions)), exactly(0, 0)),
    ...gate(
      'ZooKeeper, contended: Jain ≥ 0.95 with 100 workers',
      smallest(figuresOf(hundred, (r) => r.fairness)),
      atLeast(0.95, 3),
    ),
    ...gate('ZooKeeper, contended: no worker starved', total(figuresOf(served, (r) => r.starved)), exactly(0, 0)),
    ...gate('ZooKeeper, contended: no call failed', total(figuresOf(ours, (r) => r.failures)), exactly(0, 0)),
    ...gate('ZooKeeper, contended: never two holders', total(figuresOf(ours, (r) => r.violations)), exactly(0, 0)),
  ];
}

/** Against each of the peers that the issue names, in the same number of processes. */
function totalTimeGates(results: readonly Result[]): Gate[] {
  return ofSubject(results, 'zookeeper/total-time', own).flatMap((ours) =>
    [curator, kazoo].flatMap((name) => {
      const peer = ofSubject(results, 'zookeeper/total-time', name).find((r) => r.processes === ours.processes);
      if (peer === undefined) return [];
      const [mine, theirs] = [ours.totalTime ?? Infinity, peer.totalTime ?? Infinity];
      return [
        {
          target: `ZooKeeper, 20 × 10 at 2 ms hold, ${ours.processes} process(es): faster than ${name}`,
          measured: `${inMs(mine)}, ${name} ${inMs(theirs)}`,
          met: mine < theirs,
        },
      ];
    }),
  );
}

function inMs(time: number): string {
  return Number.isFinite(time) ? `${figure(time)} ms` : 'not done in time';
}
