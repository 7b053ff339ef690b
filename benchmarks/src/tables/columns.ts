import { figure, ratio } from './figure.ts';
import type { Column } from './table.ts';

export const subjectColumn: Column = { head: '', of: ({ subject }) => subject };
export const pairsColumn: Column = { head: 'pairs/s', of: ({ perSecond }) => figure(perSecond) };
export const rawColumn: Column = {
  head: '× raw [range]',
  of: (r) => ratio(r.ratioToRaw, r.ratioToRawLow, r.ratioToRawHigh),
};
export const verrouColumn: Column = {
  head: '× verrou [range]',
  of: (r) => ratio(r.ratioToVerrou, r.ratioToVerrouLow, r.ratioToVerrouHigh),
};
export const clientColumn: Column = { head: 'client CPU µs', of: (r) => figure(r.clientMicroseconds, 1) };
export const failuresColumn: Column = { head: 'failures', of: ({ failures }) => figure(failures) };
export const holdersColumn: Column = { head: 'two holders', of: ({ violations }) => figure(violations) };

/** Of one acquire and release. */
export const latencyColumns: readonly Column[] = [
  { head: 'p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'p99 ms', of: ({ p99 }) => figure(p99, 3) },
];

function percent(part: number | undefined): string {
  return part === undefined ? '-' : `${figure(part * 100)} %`;
}

/** Under contention: how often the lock was granted, and how soon after a release. */
export const handOverColumns: readonly Column[] = [
  { head: 'acq/s', of: ({ perSecond }) => figure(perSecond) },
  { head: 'gap p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'gap p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'handed over', of: ({ handedOver }) => percent(handedOver) },
  { head: 'to another process', of: ({ crossed }) => percent(crossed) },
  { head: 'its gap p50 ms', of: ({ crossedP50 }) => figure(crossedP50, 3) },
  { head: 'its gap p99 ms', of: ({ crossedP99 }) => figure(crossedP99, 3) },
];

/** Under contention: the order of the grants, and each worker's share. */
export const fairnessColumns: readonly Column[] = [
  { head: 'inversions', of: ({ inversions }) => figure(inversions) },
  { head: 'Jain', of: ({ fairness }) => figure(fairness, 3) },
  { head: 'starved', of: ({ starved }) => figure(starved) },
];

export const totalColumn: Column = {
  head: 'total ms',
  of: ({ totalTime }) => (totalTime === undefined ? 'not done' : figure(totalTime)),
};
export const doneColumn: Column = {
  head: 'done',
  of: ({ completed, wanted }) => `${figure(completed)} of ${figure(wanted)}`,
};
