import type { Claim } from '@locks/core';
import { exhaustedIn } from '../algorithm.ts';
import type { Verdict } from '../recipe.ts';
import type { Contender } from '../contenders.ts';
import type { HeldLease } from './leases.ts';

/**
 * The state of a semaphore, whose `leases` were read after `locks`. The names are those of
 * Curator's folders.
 */
export interface SemaphoreState {
  /** The claims that wait to enter, in any order. Only the first may create a lease. */
  readonly locks: readonly Contender[];
  /** The holders, and clients of Curator that are about to be: Curator creates its lease before. */
  readonly leases: readonly HeldLease[];
}

/** What a claim may do now. Nodes in `watch` are paths below the key's folder. */
export type Entry =
  /** Enter, provided that it is still in the queue: until then leases only go. */
  { readonly state: 'enters' } | Exclude<Verdict, { readonly state: 'holds' }>;

/**
 * The rule of Curator's InterProcessSemaphoreV2. Only the first in the queue creates leases, of
 * which there are at most as many as permits. Curator creates its lease immediately, and waits
 * until there are few enough, still first in the queue. This package creates a lease only when
 * there is room for a hold. An exclusive claim holds when it is first and there is no lease, and
 * stays first in the queue.
 *
 * A client of Curator whose position has expired may still create its lease, out of turn. So the
 * creator of a lease counts again afterwards, as Curator does (`isAmongFirst`).
 */
export function judgeEntry(
  { locks, leases }: SemaphoreState,
  own: string,
  claim: Pick<Claim, 'mode' | 'permits'>,
): Entry {
  const me = locks.find((contender) => contender.name === own);
  if (me === undefined) return { state: 'missing' };
  const exhausted = exhaustedIn(locks, me);
  if (exhausted !== undefined) return exhausted;
  const before = locks.filter((contender) => contender.sequence <= me.sequence && contender !== me);
  if (before.length > 0) {
    const previous = before.reduce((found, contender) => (contender.sequence > found.sequence ? contender : found));
    return { state: 'waits', watch: [`locks/${previous.name}`], place: before.length };
  }
  // How many may share; `undefined`: it does not share.
  const limit = claim.mode === 'exclusive' ? undefined : (claim.permits ?? Infinity);
  const free = limit === undefined ? leases.length === 0 : leases.length < limit;
  if (free) return { state: 'enters' };
  // All but limit - 1 leases must go: then one of any `limit` leases has. For an exclusive claim
  // all must go, one after another.
  return { state: 'waits', watch: leases.slice(0, limit ?? 1).map(({ name }) => `leases/${name}`), place: 0 };
}
