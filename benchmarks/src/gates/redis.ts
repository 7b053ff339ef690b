import { onCluster } from '../redis/cluster/servers.ts';
import { push } from '../redis/push-name.ts';
import type { Result } from '../results.ts';
import { beside, besideBy, fastest, of, own, ratio } from './choose.ts';
import { atLeast, atMost, below, exactly, none } from './gate.ts';
import type { Target } from './gate.ts';

const redisOverRaw = [
  [1, 0.85],
  [8, 1.2],
  [64, 1.4],
  [512, 1.4],
] as const;

export const redisTargets: readonly Target[] = [
  ...redisOverRaw.flatMap(([concurrency, least]) => {
    const cell = of('redis/uncontended', own, { concurrency });
    const where = `uncontended, ${concurrency} at once`;
    const overPeers = (ours: Result, all: readonly Result[]): number | undefined => {
      const peers = beside(ours, all).filter(({ subject }) => subject !== own && subject !== 'raw client');
      const best = fastest(peers);
      return best === undefined ? undefined : ratio(ours.perSecond, best);
    };
    return [
      atLeast(`${where}: ≥ ${least} × raw`, cell, 'ratioToRaw', least),
      atMost(
        `${where}: p99 ≤ 1.3 × raw`,
        cell,
        (ours, all) => {
          const raw = besideBy('raw client', ours, all);
          return raw && ratio(ours.p99, raw.p99);
        },
        1.3,
      ),
      ...(concurrency >= 64 ? [atLeast(`${where}: ≥ 1.3 × the best peer`, cell, overPeers, 1.3)] : []),
    ];
  }),
  exactly('uncontended: exactly 2 client commands per pair', of('redis/uncontended'), 'commandsPerAcquisition', 2, 3),
  atMost(
    'uncontended: ≤ 7 inner commands per pair',
    of('redis/uncontended'),
    ({ allCommandsPerAcquisition = Number.NaN, commandsPerAcquisition = Number.NaN }) =>
      allCommandsPerAcquisition - commandsPerAcquisition,
    7,
    3,
  ),
  atMost(
    'contended: ≤ 2.2 client commands per acquisition, in any setting',
    of('redis/contended'),
    'commandsPerAcquisition',
    2.2,
  ),
  atMost(
    'contended: gap p50 ≤ 1.5 × reference, in any setting',
    of('redis/contended'),
    (ours, all) => ratio(ours.p50, besideBy(push, ours, all)?.p50),
    1.5,
  ),
  atMost(
    'contended: gap p50 with 1000 waiters ≤ 1.5 × that with 10',
    of('redis/contended', own, { waiters: 1_000 }),
    (ours, all) => ratio(ours.p50, besideBy(own, { ...ours, waiters: 10 }, all)?.p50),
    1.5,
  ),
  none('contended: no inversion', of('redis/contended'), 'inversions'),
  atLeast('contended: Jain ≥ 0.95 with 100 workers', of('redis/contended', own, { waiters: 100 }), 'fairness', 0.95, 3),
  none('contended: no worker starved', of('redis/contended'), 'starved'),
  none(
    'contended: never two holders, of any subject',
    ({ scenario, subject }) => scenario === 'redis/contended' && subject !== push,
    'violations',
  ),
  ...[1, 4].flatMap((processes) => {
    const cell = of('redis/total-time', own, { processes });
    const where = `total time at 2 ms hold, ${processes} process(es)`;
    return [
      atMost(`${where}: ≤ 2400 ms`, cell, ({ totalTime = Infinity }) => totalTime, 2_400, 0),
      below(
        `${where}: below every peer's`,
        cell,
        (ours, all) => {
          const peers = beside(ours, all).filter(({ subject }) => subject !== own);
          return ratio(ours.totalTime, Math.min(...peers.map(({ totalTime = Infinity }) => totalTime)));
        },
        1,
      ),
    ];
  }),
  ...(['client', 'server'] as const).map((side) =>
    atMost(
      `renewal of 10000 leases: ≤ 0.5 × redis-semaphore's CPU in the ${side}`,
      of('redis/renewal'),
      (ours, all) => {
        const peer = besideBy('redis-semaphore', ours, all);
        return peer && ratio(ours[`${side}Cpu`], peer[`${side}Cpu`]);
      },
      0.5,
    ),
  ),
];

/** The most additional cost of a Cluster. */
const most = 1.3;
const overServer = (ours: Result, all: readonly Result[]): number =>
  ratio(ours.commandsPerAcquisition, besideBy(own, ours, all)?.commandsPerAcquisition);

export const clusterTargets: readonly Target[] = [
  // Calls of one tick are one command at one server, where their keys may be in different slots.
  atMost(
    `Cluster, 1 at once: commands per pair ≤ ${most} × one server`,
    of('redis-cluster/uncontended', onCluster, { concurrency: 1 }),
    overServer,
    most,
  ),
  atMost(
    `Cluster, contended: commands per acquisition ≤ ${most} × one server, in any setting`,
    of('redis-cluster/contended', onCluster),
    overServer,
    most,
  ),
  atMost(
    `Cluster, contended: gap p50 ≤ ${most} × one server, in any setting`,
    of('redis-cluster/contended', onCluster),
    'ratioToServer',
    most,
  ),
  none('Cluster, contended: no inversion', of('redis-cluster/contended', onCluster), 'inversions'),
  none('Cluster, contended: never two holders', ({ scenario }) => scenario === 'redis-cluster/contended', 'violations'),
];
