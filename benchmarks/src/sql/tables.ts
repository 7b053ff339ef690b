import { figure, ratio } from '../figure.ts';
import { subjectColumn } from '../table.ts';
import type { Column } from '../table.ts';

const speed: readonly Column[] = [
  { head: 'p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'p99 ms', of: ({ p99 }) => figure(p99, 3) },
];

const pairsColumn: Column = { head: 'pairs/s', of: ({ perSecond }) => figure(perSecond) };
const rawColumn: Column = {
  head: '× raw [range]',
  of: (r) => ratio(r.ratioToRaw, r.ratioToRawLow, r.ratioToRawHigh),
};
const serverColumn: Column = { head: 'server µs', of: (r) => figure(r.serverMicroseconds) };
const failuresColumn: Column = { head: 'failures', of: ({ failures }) => figure(failures) };

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  { head: '× verrou [range]', of: (r) => ratio(r.ratioToVerrou, r.ratioToVerrouLow, r.ratioToVerrouHigh) },
  ...speed,
  { head: 'client CPU µs', of: (r) => figure(r.clientMicroseconds, 1) },
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
  { head: '× nobody [range]', of: (r) => ratio(r.ratioToQuiet, r.ratioToQuietLow, r.ratioToQuietHigh) },
  ...speed,
];

export const contendedColumns: readonly Column[] = [
  subjectColumn,
  { head: 'acq/s', of: ({ perSecond }) => figure(perSecond) },
  { head: 'gap p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'gap p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'handed over', of: ({ handedOver }) => (handedOver === undefined ? '-' : `${figure(handedOver * 100)} %`) },
  { head: 'statements', of: (r) => figure(r.statementsPerAcquisition, 2) },
  serverColumn,
  { head: 'inversions', of: ({ inversions }) => figure(inversions) },
  { head: 'Jain', of: ({ fairness }) => figure(fairness, 3) },
  { head: 'starved', of: ({ starved }) => figure(starved) },
  failuresColumn,
  { head: 'two holders', of: ({ violations }) => figure(violations) },
  { head: 'errors in log', of: ({ severeLines }) => figure(severeLines) },
];
