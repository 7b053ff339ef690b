import { curator, kazoo } from '../zookeeper/peer-programs.ts';
import { besideBy, of, own, ratio, servedAll } from './choose.ts';
import { atLeast, atMost, below, none } from './gate.ts';
import type { Target } from './gate.ts';

export const zookeeperTargets: readonly Target[] = [
  atLeast(
    'ZooKeeper, 1 at once, no wait for the disk: ≥ 1.2 × Curator',
    of('zookeeper/unsynced'),
    ({ ratioToCurator }) => ratioToCurator,
    1.2,
  ),
  atMost(
    'ZooKeeper, 1 at once: acquire p50 ≤ 1.1 × raw',
    of('zookeeper/uncontended', own, { concurrency: 1 }),
    ({ acquireToRaw }) => acquireToRaw,
    1.1,
  ),
  ...(
    [
      [1, 1.2, curator],
      [1, 1.2, kazoo],
      [50, 1.5, curator],
    ] as const
  ).map(([concurrency, least, peer]) =>
    atLeast(
      `ZooKeeper, ${concurrency} at once: ≥ ${least} × ${peer}`,
      of('zookeeper/uncontended', own, { concurrency }),
      (ours) => (peer === curator ? ours.ratioToCurator : ours.ratioToKazoo),
      least,
    ),
  ),
  atMost(
    'ZooKeeper, 1000 waiters: ≤ 5 operations per acquisition, in any setting',
    of('zookeeper/contended', own, { waiters: 1_000 }),
    'operationsPerAcquisition',
    5,
  ),
  none('ZooKeeper, contended: no inversion', of('zookeeper/contended'), 'inversions'),
  atLeast(
    'ZooKeeper, contended: Jain ≥ 0.95 with 100 workers',
    of('zookeeper/contended', own, { waiters: 100 }),
    'fairness',
    0.95,
    3,
  ),
  none(
    'ZooKeeper, contended: no worker starved',
    (result) => of('zookeeper/contended')(result) && servedAll(result),
    'starved',
  ),
  none('ZooKeeper, contended: no call failed', of('zookeeper/contended'), 'failures'),
  none('ZooKeeper, contended: never two holders', of('zookeeper/contended'), 'violations'),
  ...[1, 4].flatMap((processes) =>
    [curator, kazoo].map((peer) =>
      below(
        `ZooKeeper, 20 × 10 at 2 ms hold, ${processes} process(es): faster than ${peer}`,
        of('zookeeper/total-time', own, { processes }),
        (ours, all) => {
          const theirs = besideBy(peer, ours, all);
          return theirs && ratio(ours.totalTime, theirs.totalTime ?? Infinity);
        },
        1,
      ),
    ),
  ),
];
