import { memberTimeout } from '../redlock/member-timeout.ts';
import { unfencedName } from '../redlock/names.ts';
import { of, own, ratio } from './choose.ts';
import { atLeast, atMost, none } from './gate.ts';
import type { Target } from './gate.ts';

const ofQuorum = [own, unfencedName];
const contendedByQuorum = of('redlock/contended', ofQuorum);
const overLinks =
  (waiters: number): Target['of'] =>
  (result) =>
    contendedByQuorum(result) && result.waiters === waiters && (result.linkDelay ?? 0) > 0;

export const quorumTargets: readonly Target[] = [
  ...[1, 64].flatMap((concurrency) =>
    [
      { subject: unfencedName, fencing: 'no fencing', least: 1 },
      { subject: own, fencing: 'fencing', least: 0.7 },
    ].map(({ subject, fencing, least }) =>
      atLeast(
        `quorum, ${concurrency} at once, ${fencing}: ≥ ${least} × the fastest peer`,
        of('redlock/uncontended', subject, { concurrency }),
        'ratioToPeer',
        least,
      ),
    ),
  ),
  none('quorum, contended: all acquisitions succeed', contendedByQuorum, ({ wanted = Number.NaN, completed = 0 }) => {
    return wanted - completed;
  }),
  atLeast('quorum, contended: Jain ≥ 0.95', contendedByQuorum, 'fairness', 0.95, 3),
  atMost(
    'quorum, contended: longest wait ≤ 4 × the mean',
    contendedByQuorum,
    ({ longestWait, meanWait }) => ratio(longestWait, meanWait),
    4,
  ),
  ...(
    [
      [16, 'p50', 8],
      [16, 'p99', 40],
      [64, 'p99', 80],
    ] as const
  ).map(([waiters, percentile, trips]) =>
    atMost(
      `quorum, ${waiters} over links: gap ${percentile} ≤ ${trips} round trips`,
      overLinks(waiters),
      (ours) => ratio(ours[percentile], ours.roundTrip),
      trips,
      1,
    ),
  ),
  atMost(
    'quorum, 64 over links: gap p50 ≤ 2 × that of 16',
    overLinks(64),
    (ours, all) => ratio(ours.p50, all.find((other) => overLinks(16)(other) && other.subject === ours.subject)?.p50),
    2,
  ),
  none(
    'quorum, contended: never two holders, of any subject',
    ({ scenario }) => scenario === 'redlock/contended',
    'violations',
  ),
  atMost('quorum, a frozen node: ≤ 1 slow pair of each worker', of('redlock/frozen', ofQuorum), 'slowPairs', 1, 0),
  atMost(
    'quorum, a frozen node: costs ≤ 1.2 member timeouts',
    of('redlock/frozen', ofQuorum),
    ({ slowTime }) => ratio(slowTime, memberTimeout),
    1.2,
  ),
];
