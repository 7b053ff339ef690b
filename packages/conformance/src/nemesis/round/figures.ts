import { readClaims } from '@locks/core/testing';
import type { Claim, HistoryEvent } from '@locks/core/testing';
import type { Note } from '../worker/messages.ts';

/** The numbers of a round; times are in ms. */
export interface Figures {
  /** How many calls there were. */
  readonly calls: number;
  /** How many were granted. */
  readonly grants: number;
  /** How many of these in the calm at the end. */
  readonly calmGrants: number;
  /** How many writes the register took. */
  readonly writes: number;
  /** How many stale ones it refused. */
  readonly refusedWrites: number;
  /** How many leases were lost. */
  readonly lost: number;
  /** By code. */
  readonly failures: Readonly<Record<string, number>>;
  /** By kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** From a call to its grant. */
  readonly medianWait: number;
  /** The longest of these. */
  readonly longestWait: number;
  /** The longest in the calm. */
  readonly longestCalmWait: number;
  /** In MiB. */
  readonly largestHeap: number;
}

/** Counts what is in a history. */
export function readFigures(history: readonly HistoryEvent[], notes: readonly Note[]): Figures {
  const claims = readClaims(history);
  const granted = claims.filter(({ grantedAt }) => grantedAt !== undefined);
  const waits = granted.map(waitOf).toSorted((one, other) => one - other);
  const calm = granted.filter(({ call }) => call.calm);
  const heaps = notes.flatMap((note) => (note.type === 'close' ? [note.heap] : []));
  const releases = claims.flatMap(({ answer }) => (typeof answer === 'string' && answer !== 'over' ? [answer] : []));
  const calls = claims.flatMap(({ failure }) => (failure === undefined ? [] : [failure.code]));
  const countOf = (type: HistoryEvent['type']): number => history.filter((event) => event.type === type).length;
  return {
    calls: claims.length,
    grants: granted.length,
    calmGrants: calm.length,
    writes: countOf('written'),
    refusedWrites: countOf('refused'),
    lost: claims.filter(({ lostAt }) => lostAt !== undefined).length,
    failures: count([...calls, ...releases.map((code) => `${code} of release`)]),
    faults: count(history.flatMap((event) => (event.type === 'fault' ? [event.kind] : []))),
    medianWait: waits[Math.floor(waits.length / 2)] ?? 0,
    longestWait: waits.at(-1) ?? 0,
    longestCalmWait: largest(calm.map(waitOf)),
    largestHeap: largest(heaps) / 2 ** 20,
  };
}

function waitOf({ grantedAt = 0, calledAt }: Claim): number {
  return grantedAt - calledAt;
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other), 0);
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
