import { LockError, misconfigured } from '@locks/core/adapter';
import type { Member } from '../members/member.ts';
import type { Announced, Conflict, StoreSet } from './store-set.ts';

const safeWay = 'Add stores first, deploy, then remove others: docs/quorum.md';

/** Two members are one store: that would have two votes. */
export function twinsError(name: string, twins: readonly Member[]): LockError {
  const titles = twins.map(({ title }) => title).join(' and ');
  const why = `${titles} are one store, by two names or with a copy of its data`;
  return misconfigured(name, `${why}. Each member needs a store of its own`, { sent: false });
}

/** `own` and the set of `other` must not be in use at once. */
export function conflictError(
  name: string,
  members: readonly Member[],
  own: StoreSet,
  { process, set }: Announced,
  conflict: Conflict,
): LockError {
  if (conflict === 'order') {
    const why = `process ${process} has the members in another order`;
    const what = `${why}, so claims could wait for each other. Give all processes the same order`;
    return misconfigured(name, what, { sent: false });
  }
  const isStrange = (id: string | undefined, stores: StoreSet['stores']): boolean =>
    id !== undefined && !stores.includes(id);
  const strange = members.filter((_, index) => isStrange(own.stores[index], set.stores)).map(({ title }) => title);
  const theirs = set.stores.filter((id) => isStrange(id, own.stores)).length;
  const lacks = strange.length === 0 ? '' : `, and lacks ${strange.join(', ')} of this process`;
  const why = `process ${process} needs ${set.need} of ${set.stores.length} stores, ${theirs} of them no members here${lacks}`;
  return misconfigured(name, `${why}. Both could hold one key. ${safeWay}`, { sent: false });
}

/** As `conflict` says, unless a member has lost its data and gets its id back. */
export function emptiedError(conflict: LockError): LockError {
  const message = `A member may have lost its data, and waits for its id. If not: ${conflict.message}`;
  return new LockError('LOCK_UNAVAILABLE', message, { sent: false, cause: conflict });
}
