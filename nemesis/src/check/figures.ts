import { readClaims } from '@locks/conformance/history';
import type { Claim, HistoryEvent } from '@locks/conformance/history';
import type { RunLog } from '../log/events.ts';

/** The numbers of a run; times are in ms. */
export interface Figures {
  readonly workers: number;
  readonly calls: number;
  readonly grants: number;
  readonly writes: number;
  readonly refusedWrites: number;
  readonly lost: number;
  readonly failures: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  readonly calmGrants: number;
  readonly medianWait: number;
  readonly longestWait: number;
  readonly longestCalmWait: number;
  /** In MiB. */
  readonly largestHeap: number;
}

export function readFigures({ workers, register, control }: RunLog, events: readonly HistoryEvent[]): Figures {
  const claims = readClaims(events);
  const granted = claims.filter(({ grantedAt }) => grantedAt !== undefined);
  const waits = granted.map(waitOf).toSorted((one, other) => one - other);
  const calm = granted.filter(({ call }) => call.calm);
  const heaps = [...workers.values()].flat().flatMap((event) => (event.type === 'close' ? [event.heap] : []));
  const releases = claims.flatMap(({ answer }) => (typeof answer === 'string' && answer !== 'over' ? [answer] : []));
  const calls = claims.flatMap(({ failure }) => (failure === undefined ? [] : [failure.code]));
  return {
    workers: workers.size,
    calls: claims.length,
    grants: granted.length,
    writes: register.filter(({ type }) => type === 'written').length,
    refusedWrites: register.filter(({ type }) => type === 'refused').length,
    lost: claims.filter(({ lostAt }) => lostAt !== undefined).length,
    failures: count([...calls, ...releases.map((code) => `${code} of release`)]),
    faults: count(control.flatMap((event) => (event.type === 'fault' ? [event.kind] : []))),
    calmGrants: calm.length,
    medianWait: waits[Math.floor(waits.length / 2)] ?? 0,
    longestWait: waits.at(-1) ?? 0,
    longestCalmWait: calm.map(waitOf).reduce((one, other) => Math.max(one, other), 0),
    largestHeap: heaps.reduce((one, other) => Math.max(one, other), 0) / 2 ** 20,
  };
}

function waitOf({ grantedAt = 0, calledAt }: Claim): number {
  return grantedAt - calledAt;
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
