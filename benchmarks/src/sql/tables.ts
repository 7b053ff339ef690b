import {
  clientColumn,
  failuresColumn,
  fairnessColumns,
  handOverColumns,
  holdersColumn,
  latencyColumns,
  pairsColumn,
  rawColumn,
  subjectColumn,
  verrouColumn,
} from '../tables/columns.ts';
import { figure, ratio } from '../tables/figure.ts';
import type { Column } from '../tables/table.ts';

const serverColumn: Column = { head: 'server µs', of: (r) => figure(r.serverMicroseconds) };

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  verrouColumn,
  ...latencyColumns,
  clientColumn,
  failuresColumn,
];

export const ownKeysColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  { head: 'acquire p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'acquire p99 ms', of: ({ p99 }) => figure(p99, 3) },
  failuresColumn,
];

export const statementsColumns: readonly Column[] = [
  subjectColumn,
  { head: 'statements', of: (r) => figure(r.statementsPerPair, 2) },
  { head: 'round trips', of: (r) => figure(r.roundTripsPerPair, 2) },
  { head: 'connections', of: (r) => figure(r.connectionsPerPair, 2) },
  { head: 'by the server', of: (r) => figure(r.serverStatementsPerPair, 2) },
  serverColumn,
];

export const listeningColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  { head: '× quiet [range]', of: (r) => ratio(r.ratioToQuiet, r.ratioToQuietLow, r.ratioToQuietHigh) },
  ...latencyColumns,
];

export const contendedColumns: readonly Column[] = [
  subjectColumn,
  ...handOverColumns,
  { head: 'statements', of: (r) => figure(r.statementsPerAcquisition, 2) },
  serverColumn,
  ...fairnessColumns,
  failuresColumn,
  holdersColumn,
  { head: 'errors in log', of: ({ severeLines }) => figure(severeLines) },
];
