import {
  clientColumn,
  doneColumn,
  failuresColumn,
  holdersColumn,
  latencyColumns,
  pairsColumn,
  rawColumn,
  subjectColumn,
  totalColumn,
} from '../tables/columns.ts';
import { figure, ratio } from '../tables/figure.ts';
import type { Column } from '../tables/table.ts';

const messagesColumn: Column = { head: 'messages', of: (r) => figure(r.commandsPerAcquisition, 2) };

/** `of` in round trips, as the nodes had them without other load. */
function inRoundTrips(time: number | undefined, roundTrip: number | undefined): string {
  return figure(time === undefined || roundTrip === undefined ? undefined : time / roundTrip, 1);
}

export const uncontendedColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  { head: '× peer [range]', of: (r) => ratio(r.ratioToPeer, r.ratioToPeerLow, r.ratioToPeerHigh) },
  ...latencyColumns,
  { head: 'acquire p50', of: ({ acquireP50 }) => figure(acquireP50, 3) },
  clientColumn,
  { head: 'trips/grant', of: ({ roundTripsPerGrant }) => figure(roundTripsPerGrant) },
  { head: 'trips/pair', of: ({ roundTripsPerPair }) => figure(roundTripsPerPair) },
  messagesColumn,
  failuresColumn,
];

export const contendedColumns: readonly Column[] = [
  subjectColumn,
  totalColumn,
  doneColumn,
  { head: 'gap p50 ms', of: ({ p50 }) => figure(p50, 3) },
  { head: 'p99 ms', of: ({ p99 }) => figure(p99, 3) },
  { head: 'p50 trips', of: ({ p50, roundTrip }) => inRoundTrips(p50, roundTrip) },
  { head: 'p99 trips', of: ({ p99, roundTrip }) => inRoundTrips(p99, roundTrip) },
  { head: 'mean wait', of: ({ meanWait }) => figure(meanWait) },
  { head: 'longest', of: ({ longestWait }) => figure(longestWait) },
  { head: 'Jain', of: ({ fairness }) => figure(fairness, 3) },
  { head: 'inversions', of: ({ inversions }) => figure(inversions) },
  messagesColumn,
  failuresColumn,
  holdersColumn,
];

export const frozenColumns: readonly Column[] = [
  subjectColumn,
  { head: 'node', of: ({ node }) => figure(node) },
  { head: 'slow pairs', of: ({ slowPairs }) => figure(slowPairs) },
  { head: 'their ms', of: ({ slowTime }) => figure(slowTime) },
  { head: 'other pairs/s', of: ({ perSecond }) => figure(perSecond) },
  ...latencyColumns,
  failuresColumn,
];
