import type { Claim } from '@locks/core';
import { sequenceLimit } from '../line/judge.ts';
import type { Contender } from '../contenders.ts';
import type { HeldLease } from './leases.ts';

/** The state of a semaphore, whose `leases` were read after `locks`. The names are those of the nodes below the key's, as Curator calls them. */
export interface SemaphoreState {
  /** Who waits to enter, in any order. Whoever is first may make a lease, and nobody else may. */
  readonly locks: readonly Contender[];
  /** Who is inside, or about to be: Curator makes its lease before it knows. */
  readonly leases: readonly HeldLease[];
}

/** What a claim may do now. */
export type Entry =
  /** Enter, provided that it is still in line: meanwhile leases go, but none comes. */
  | { readonly state: 'enters' }
  /**
   * Not before one of these nodes has gone, which are paths below the key's node: then read and judge again. `place`: how many are
   * before it in line.
   */
  | { readonly state: 'waits'; readonly watch: readonly string[]; readonly place: number }
  /** Its node in line is not there: released, or its session has ended. */
  | { readonly state: 'missing' }
  /** The key is shared with another number of permits: `inUse`, `undefined` for unlimited. */
  | { readonly state: 'refused'; readonly inUse: number | undefined }
  /** The sequence numbers of the line are used up, or have begun anew. */
  | { readonly state: 'exhausted'; readonly sequence: number };

/**
 * The rule of Curator's InterProcessSemaphoreV2: a line for a mutex, whose first one alone makes leases, of which there are at most as many
 * as may be inside. Curator makes its lease at once and then waits until there are few enough, still first in line, so it is in nobody's way.
 * Here a lease is made only when there is room for a hold. An exclusive claim holds when it is first and there is no lease: it stays
 * first in line.
 *
 * A client of Curator whose place has expired may still make its lease, out of its turn. So the maker of a lease counts again
 * afterwards, as Curator does (`isAmongFirst`).
 */
export function judgeEntry(
  { locks, leases }: SemaphoreState,
  own: string,
  claim: Pick<Claim, 'mode' | 'permits'>,
): Entry {
  const me = locks.find((contender) => contender.name === own);
  if (me === undefined) return { state: 'missing' };
  if (me.sequence >= sequenceLimit) return { state: 'exhausted', sequence: me.sequence };
  // Others sort those by their sign to the front, and enter.
  const wrapped = locks.find((contender) => contender.sequence >= 2 ** 31);
  if (wrapped !== undefined) return { state: 'exhausted', sequence: wrapped.sequence };
  const before = locks.filter((contender) => contender.sequence <= me.sequence && contender !== me);
  const limit = limitOf(claim);
  const other = [...leases.map((lease) => lease.limit), ...before.map(limitOf)].find(
    (known) => known !== undefined && limit !== undefined && known !== limit,
  );
  if (other !== undefined) return { state: 'refused', inUse: other === Infinity ? undefined : other };
  if (before.length > 0) {
    const previous = before.reduce((found, contender) => (contender.sequence > found.sequence ? contender : found));
    return { state: 'waits', watch: [`locks/${previous.name}`], place: before.length };
  }
  const free = limit === undefined ? leases.length === 0 : leases.length < limit;
  if (free) return { state: 'enters' };
  // All but limit - 1 of them must go: then one of any `limit` of them has. For an exclusive one all must, one after another.
  return { state: 'waits', watch: leases.slice(0, limit ?? 1).map(({ name }) => `leases/${name}`), place: 0 };
}

/** How many may share, as the claim or its place in line tells; `undefined`: it does not share. */
function limitOf({ mode, permits }: Pick<Claim, 'mode' | 'permits'>): number | undefined {
  return mode === 'exclusive' ? undefined : (permits ?? Infinity);
}
