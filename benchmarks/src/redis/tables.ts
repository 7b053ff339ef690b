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

export const sentColumn: Column = { head: 'client cmds', of: (r) => figure(r.commandsPerAcquisition, 2) };

/** Of the speed, uncontended; of the gap p50, contended. */
export const serverColumn: Column = {
  head: '× one server [range]',
  of: (r) => ratio(r.ratioToServer, r.ratioToServerLow, r.ratioToServerHigh),
};

/** With `digits` decimal places. */
function allColumn(digits: number): Column {
  return { head: 'all cmds', of: (r) => figure(r.allCommandsPerAcquisition, digits) };
}

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  ...latencyColumns,
  sentColumn,
  allColumn(2),
  { head: 'server µs', of: (r) => figure(r.serverMicroseconds, 2) },
  clientColumn,
];

export const contendedColumns: readonly Column[] = [
  subjectColumn,
  ...handOverColumns,
  sentColumn,
  allColumn(1),
  ...fairnessColumns,
  failuresColumn,
  holdersColumn,
];

export const totalTimeColumns: readonly Column[] = [
  subjectColumn,
  totalColumn,
  doneColumn,
  failuresColumn,
  holdersColumn,
];

export const renewalColumns: readonly Column[] = [
  subjectColumn,
  { head: 'client CPU ms/s', of: ({ clientCpu }) => figure(clientCpu, 1) },
  { head: 'server CPU ms/s', of: ({ serverCpu }) => figure(serverCpu, 1) },
  { head: 'client cmds/s', of: ({ commandsPerSecond }) => figure(commandsPerSecond) },
  { head: 'lost', of: ({ lost }) => figure(lost) },
];

export const heapColumns: readonly Column[] = [
  subjectColumn,
  { head: 'bytes per lease', of: ({ heapBytes }) => figure(heapBytes) },
];
