import { atLeast, atMost, exactly, figuresOf, gate, largest, ofSubject, own, smallest, total } from '../gates/gate.ts';
import type { Gate } from '../gates/gate.ts';
import type { Result } from '../results.ts';
import { memberTimeout } from './member-timeout.ts';
import { unfencedName } from './names.ts';

/** Those of a quorum of Redis nodes. */
export function redlockGates(results: readonly Result[]): Gate[] {
  return [...uncontendedGates(results), ...contendedGates(results), ...frozenGates(results)];
}

function uncontendedGates(results: readonly Result[]): Gate[] {
  const cells = (subject: string, wanted: number): Result[] =>
    ofSubject(results, 'redlock/uncontended', subject).filter(({ concurrency }) => concurrency === wanted);
  return [1, 64].flatMap((concurrency) => {
    const ratio = (subject: string): number | undefined =>
      smallest(figuresOf(cells(subject, concurrency), ({ ratioToPeer }) => ratioToPeer));
    const title = `quorum, ${concurrency} at once`;
    return [
      ...gate(`${title}, no fencing: ≥ 1 × the fastest peer`, ratio(unfencedName), atLeast(1, 2)),
      ...gate(`${title}, fencing: ≥ 0.7 × the fastest peer`, ratio(own), atLeast(0.7, 2)),
    ];
  });
}

function contendedGates(results: readonly Result[]): Gate[] {
  const all = results.filter(({ scenario }) => scenario === 'redlock/contended');
  const ours = [own, unfencedName].flatMap((name) => ofSubject(results, 'redlock/contended', name));
  const trips = (cells: readonly Result[], of: (result: Result) => number | undefined): number | undefined =>
    largest(cells.map((cell) => (of(cell) ?? Number.NaN) / (cell.roundTrip ?? Number.NaN)));
  const far = ours.filter((cell) => (cell.linkDelay ?? 0) > 0);
  const few = far.filter(({ waiters }) => waiters === 16);
  const many = far.filter(({ waiters }) => waiters === 64);
  const growth = many.map((cell) => {
    const same = few.find(({ subject }) => subject === cell.subject);
    return (cell.p50 ?? Number.NaN) / (same?.p50 ?? Number.NaN);
  });
  const missing = ours.map(({ wanted = Number.NaN, completed = 0 }) => wanted - completed);
  const waits = ours.map(({ longestWait = Number.NaN, meanWait = Number.NaN }) => longestWait / meanWait);
  const holders = total(figuresOf(all, ({ violations }) => violations));
  return [
    ...gate('quorum, contended: all acquisitions succeed', total(missing), exactly(0, 0)),
    ...gate('quorum, contended: Jain ≥ 0.95', smallest(figuresOf(ours, (r) => r.fairness)), atLeast(0.95, 3)),
    ...gate('quorum, contended: longest wait ≤ 4 × the mean', largest(waits), atMost(4, 2)),
    ...gate(
      'quorum, 16 over links: gap p50 ≤ 8 round trips',
      trips(few, ({ p50 }) => p50),
      atMost(8, 1),
    ),
    ...gate(
      'quorum, 16 over links: gap p99 ≤ 40 round trips',
      trips(few, ({ p99 }) => p99),
      atMost(40, 1),
    ),
    ...gate('quorum, 64 over links: gap p50 ≤ 2 × that of 16', largest(growth), atMost(2, 2)),
    ...gate(
      'quorum, 64 over links: gap p99 ≤ 80 round trips',
      trips(many, ({ p99 }) => p99),
      atMost(80, 1),
    ),
    ...gate('quorum, contended: never two holders, of any subject', holders, exactly(0, 0)),
  ];
}

function frozenGates(results: readonly Result[]): Gate[] {
  const ours = [own, unfencedName].flatMap((name) => ofSubject(results, 'redlock/frozen', name));
  const costs = figuresOf(ours, ({ slowTime }) => slowTime);
  return [
    ...gate(
      'quorum, a frozen node: ≤ 1 slow pair of each worker',
      largest(figuresOf(ours, (r) => r.slowPairs)),
      atMost(1, 0),
    ),
    ...gate(
      'quorum, a frozen node: costs ≤ 1.2 member timeouts',
      largest(costs.map((ms) => ms / memberTimeout)),
      atMost(1.2, 2),
    ),
  ];
}
