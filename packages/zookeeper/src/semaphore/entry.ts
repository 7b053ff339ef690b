import type { Claim } from '@locks/core';
import { sequenceLimit } from '../line/line.ts';
import type { Contender } from '../line/names.ts';
import type { HeldLease } from './leases.ts';

/** The two nodes below the key's, as Curator calls them. */
export const locksName = 'locks';
export const leasesName = 'leases';

/** The state of a semaphore. `leases` must have been read after `locks`, or together. */
export interface SemaphoreState {
  /** Who waits to enter, in any order. Whoever is first may make a lease, and nobody else may. */
  readonly locks: readonly Contender[];
  readonly leases: readonly HeldLease[];
}

/** What a claim may do now. */
export type Entry =
  /** Make its lease, provided that it is still in line: meanwhile leases go, but none comes. */
  | { readonly state: 'enters' }
  /** Not before one of these nodes has gone, which are paths below the key's node: then read and judge again. */
  | { readonly state: 'waits'; readonly watch: readonly string[] }
  /** Its node in line is not there: released, or its session has ended. */
  | { readonly state: 'missing' }
  /** The key is shared with another number of permits: `inUse`, `undefined` for unlimited. */
  | { readonly state: 'refused'; readonly inUse: number | undefined }
  /** The sequence numbers of the line are used up, or have begun anew. */
  | { readonly state: 'exhausted'; readonly sequence: number };

/**
 * The rule of Curator's InterProcessSemaphoreV2: a line for a mutex, whose first one alone makes leases, of which there are as many as may be
 * inside. Curator makes its lease at once and then waits until there are few enough, still first in line, so it is in nobody's way
 * meanwhile. Here a lease is made only when it is a hold. Exclusive: when there is no lease.
 */
export function judgeEntry(
  { locks, leases }: SemaphoreState,
  own: string,
  claim: Pick<Claim, 'mode' | 'permits'>,
): Entry {
  const me = locks.find((contender) => contender.name === own);
  if (me === undefined) return { state: 'missing' };
  const last = Math.max(
    ...locks.map((contender) => contender.sequence).filter((sequence) => sequence >= 2 ** 31),
    me.sequence,
  );
  if (last >= sequenceLimit) return { state: 'exhausted', sequence: last };
  const before = locks.filter((contender) => contender.sequence <= me.sequence && contender !== me);
  const limit = limitOf(claim);
  const other = [...leases.map((lease) => lease.limit), ...before.map(limitOf)].find(
    (known) => known !== undefined && limit !== undefined && known !== limit,
  );
  if (other !== undefined) return { state: 'refused', inUse: other === Infinity ? undefined : other };
  if (before.length > 0) {
    const previous = before.reduce((found, contender) => (contender.sequence > found.sequence ? contender : found));
    return { state: 'waits', watch: [`${locksName}/${previous.name}`] };
  }
  return judgeFirst(leases, limit);
}

function judgeFirst(leases: readonly HeldLease[], limit: number | undefined): Entry {
  const alone = limit === undefined ? leases.at(0) : leases.find((lease) => lease.mode === 'exclusive');
  if (alone !== undefined) return { state: 'waits', watch: [pathOf(alone)] };
  if (limit === undefined || leases.length < limit) return { state: 'enters' };
  // When all but limit - 1 of them have gone, one of any `limit` of them has.
  return { state: 'waits', watch: leases.slice(0, limit).map(pathOf) };
}

/** How many may share, as the claim or its place in line tells; `undefined`: it does not share. */
function limitOf({ mode, permits }: Pick<Claim, 'mode' | 'permits'>): number | undefined {
  return mode === 'exclusive' ? undefined : (permits ?? Infinity);
}

function pathOf({ name }: HeldLease): string {
  return `${leasesName}/${name}`;
}
