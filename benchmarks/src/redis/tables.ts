import { figure, ratio } from '../figure.ts';
import { subjectColumn } from '../table.ts';
import type { Column } from '../table.ts';

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  { head: 'pairs/s', of: ({ perSecond }) => figure(perSecond) },
  { head: '× raw [range]', of: (r) => ratio(r.ratioToRaw, r.ratioToRawLow, r.ratioToRawHigh) },
  { head: 'p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'client cmds', of: (r) => figure(r.commandsPerAcquisition, 2) },
  { head: 'all cmds', of: (r) => figure(r.allCommandsPerAcquisition, 2) },
  { head: 'server µs', of: (r) => figure(r.serverMicroseconds, 2) },
  { head: 'client CPU µs', of: (r) => figure(r.clientMicroseconds, 1) },
];

export const contendedColumns: readonly Column[] = [
  subjectColumn,
  { head: 'acq/s', of: ({ perSecond }) => figure(perSecond) },
  { head: 'gap p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'gap p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'handed over', of: ({ handedOver }) => percent(handedOver) },
  { head: 'client cmds', of: (r) => figure(r.commandsPerAcquisition, 2) },
  { head: 'all cmds', of: (r) => figure(r.allCommandsPerAcquisition, 1) },
  { head: 'inversions', of: ({ inversions }) => figure(inversions) },
  { head: 'Jain', of: ({ fairness }) => figure(fairness, 3) },
  { head: 'starved', of: ({ starved }) => figure(starved) },
  { head: 'failures', of: ({ failures }) => figure(failures) },
  { head: 'two holders', of: ({ violations }) => figure(violations) },
];

export const totalTimeColumns: readonly Column[] = [
  subjectColumn,
  { head: 'total ms', of: ({ totalTime }) => (totalTime === undefined ? 'not done' : figure(totalTime)) },
  { head: 'done', of: ({ completed, wanted }) => `${figure(completed)} of ${figure(wanted)}` },
  { head: 'failures', of: ({ failures }) => figure(failures) },
  { head: 'two holders', of: ({ violations }) => figure(violations) },
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

function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${figure(share * 100)} %`;
}
