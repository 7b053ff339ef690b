import { figure, ratio } from '../figure.ts';
import { subjectColumn } from '../table.ts';
import type { Column } from '../table.ts';

const failuresColumn: Column = { head: 'failures', of: ({ failures }) => figure(failures) };
const holdersColumn: Column = { head: 'two holders', of: ({ violations }) => figure(violations) };

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  { head: 'pairs/s', of: ({ perSecond }) => figure(perSecond) },
  { head: '× raw [range]', of: (r) => ratio(r.ratioToRaw, r.ratioToRawLow, r.ratioToRawHigh) },
  { head: '× Curator [range]', of: (r) => ratio(r.ratioToCurator, r.ratioToCuratorLow, r.ratioToCuratorHigh) },
  { head: '× kazoo [range]', of: (r) => ratio(r.ratioToKazoo, r.ratioToKazooLow, r.ratioToKazooHigh) },
  { head: 'p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'client CPU µs', of: (r) => figure(r.clientMicroseconds, 1) },
  { head: 'server CPU µs', of: (r) => figure(r.serverCpuMicroseconds, 1) },
  failuresColumn,
];

export const acquireColumns: readonly Column[] = [
  subjectColumn,
  { head: 'p50 ms', of: ({ acquireP50 }) => figure(acquireP50, 3) },
  { head: 'p50 × raw [range]', of: (r) => ratio(r.acquireToRaw, r.acquireToRawLow, r.acquireToRawHigh) },
  { head: 'p99 ms', of: ({ acquireP99 }) => figure(acquireP99, 3) },
];

export const operationsColumns: readonly Column[] = [
  subjectColumn,
  { head: 'operations', of: (r) => figure(r.operationsPerPair, 2) },
  { head: 'which', of: ({ operations = '-' }) => operations },
];

export const contendedColumns: readonly Column[] = [
  subjectColumn,
  { head: 'acq/s', of: ({ perSecond }) => figure(perSecond) },
  { head: 'gap p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'gap p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'handed over', of: ({ handedOver }) => (handedOver === undefined ? '-' : `${figure(handedOver * 100)} %`) },
  { head: 'operations', of: (r) => figure(r.operationsPerAcquisition, 2) },
  { head: 'inversions', of: ({ inversions }) => figure(inversions) },
  { head: 'Jain', of: ({ fairness }) => figure(fairness, 3) },
  { head: 'starved', of: ({ starved }) => figure(starved) },
  failuresColumn,
  holdersColumn,
];

export const totalTimeColumns: readonly Column[] = [
  subjectColumn,
  { head: 'total ms', of: ({ totalTime }) => (totalTime === undefined ? 'not done' : figure(totalTime)) },
  { head: 'shortest', of: ({ totalTimeLow }) => figure(totalTimeLow) },
  { head: 'longest', of: ({ totalTimeHigh }) => figure(totalTimeHigh) },
  { head: 'held ms', of: ({ held }) => figure(held, 2) },
  { head: 'done', of: ({ completed, wanted }) => `${figure(completed)} of ${figure(wanted)}` },
  failuresColumn,
  holdersColumn,
];
