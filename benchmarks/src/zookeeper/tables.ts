import {
  clientColumn,
  doneColumn,
  failuresColumn,
  fairnessColumns,
  handOverColumns,
  holdersColumn,
  latencyColumns,
  pairsColumn,
  rawColumn,
  subjectColumn,
  totalColumn,
} from '../tables/columns.ts';
import { figure, ratio } from '../tables/figure.ts';
import type { Column } from '../tables/table.ts';

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  { head: '× Curator [range]', of: (r) => ratio(r.ratioToCurator, r.ratioToCuratorLow, r.ratioToCuratorHigh) },
  { head: '× kazoo [range]', of: (r) => ratio(r.ratioToKazoo, r.ratioToKazooLow, r.ratioToKazooHigh) },
  ...latencyColumns,
  clientColumn,
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
  ...handOverColumns,
  { head: 'operations', of: (r) => figure(r.operationsPerAcquisition, 2) },
  ...fairnessColumns,
  failuresColumn,
  holdersColumn,
];

export const totalTimeColumns: readonly Column[] = [
  subjectColumn,
  totalColumn,
  { head: 'shortest', of: ({ totalTimeLow }) => figure(totalTimeLow) },
  { head: 'longest', of: ({ totalTimeHigh }) => figure(totalTimeHigh) },
  { head: 'held ms', of: ({ held }) => figure(held, 2) },
  doneColumn,
  failuresColumn,
  holdersColumn,
];
