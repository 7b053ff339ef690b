import type { Claim } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import { isLeaseGone } from '../connection/errors.ts';
import { txn } from '../wire/calls.ts';
import { moveRequest, placeRequest } from './algorithm.ts';
import { late } from './holds.ts';
import type { OwnClaim } from './own-claims.ts';
import type { Parts } from './parts.ts';
import { queueIn, read, readsOf, readsOfAll, readsOfClaims } from './queue.ts';
import type { KeyQueue } from './queue.ts';

/**
 * Puts `claim` at the end of the queue. With `reads` it gives the queue then. `undefined`: read it.
 * `left`: how many ms are left.
 */
export async function enterQueue(
  { members, keys, owners, places }: Parts,
  claim: Claim,
  own: OwnClaim,
  reads: boolean,
  left: () => number,
): Promise<KeyQueue | undefined> {
  const { key, owner } = claim;
  const place = places.enter(key, owner);
  try {
    const lease = await places.keep(key, left());
    // It was released meanwhile: a place would be left.
    if (lease === undefined || owners.get(owner) !== own || places.get(key, owner) !== place) throw late(claim);
    place.unanswered++;
    const request = placeRequest(keys, claim, lease.id, reads);
    const answer = await members
      .call(txn, request, 'a position in the queue', { within: left() })
      .catch((error: unknown) => {
        if (!isLeaseGone(error)) throw error;
        places.lost(key, lease.id);
        return undefined;
      });
    place.unanswered--;
    return answer !== undefined && reads ? queueIn(answer, keys) : undefined;
  } catch (error) {
    if (isLockError(error) && error.sent === false) {
      place.unanswered = Math.max(0, place.unanswered - 1);
      if (place.lease === undefined) places.leave(key, owner, false);
    }
    throw error;
  }
}

/**
 * Restarts the lease of the places of `claims`, which wait for `key`, and puts them under it. Gives
 * the owners of those that are in the queue still.
 */
export async function keepPlaces(
  { members, keys, places }: Parts,
  key: string,
  claims: readonly Claim[],
  left: () => number,
): Promise<readonly string[]> {
  const lease = await places.keep(key, left());
  if (lease === undefined) return [];
  const others = claims.filter(({ owner }) => (places.get(key, owner)?.lease ?? lease.id) !== lease.id);
  const move = async (claim: Claim): Promise<void> => {
    const request = moveRequest(keys, claim, lease.id);
    const { succeeded } = await members.call(txn, request, 'a position in the queue', {
      within: left(),
      repeats: true,
    });
    const place = places.get(key, claim.owner);
    if (place === undefined) return;
    // It was written since it was seen.
    place.entry = undefined;
    if (succeeded) place.lease = lease.id;
  };
  await Promise.all(others.map(move));
  return claims.map(({ owner }) => owner).filter((owner) => places.get(key, owner)?.lease === lease.id);
}

/** The queue, where a watch has told that `claim` is the first in it. */
export function queueOfFirst({ places, watches, base }: Parts, { key, owner, mode }: Claim): KeyQueue | undefined {
  const entry = places.get(key, owner)?.entry;
  if (entry === undefined || mode === 'shared' || !watches.isFirst(owner)) return undefined;
  return { revision: 0n, entries: [entry], base: base.known };
}

/**
 * As much of the queue as an exclusive claim needs while the one before it is there. `undefined`:
 * the whole one is needed.
 */
export async function readAhead(
  { members, keys, places }: Parts,
  { key, owner, mode }: Claim,
  left: () => number,
): Promise<KeyQueue | undefined> {
  const ahead = places.get(key, owner)?.ahead;
  if (ahead === undefined || mode === 'shared') return undefined;
  const queue = await read(members, keys, readsOfClaims(keys, [ahead.name, keys.claim(key, owner)]), left());
  return queue.entries.some(({ created }) => created === ahead.created) ? queue : undefined;
}

/** What decides about `claim`. `created`: the revision of its place, where it was seen. */
export async function readQueue(
  { members, keys, places }: Parts,
  claim: Claim,
  created: bigint | undefined,
  within: number,
): Promise<KeyQueue> {
  const isUnseen = created === undefined && places.has(claim.key, claim.owner);
  const reads = isUnseen ? readsOfAll(keys, claim.key) : readsOf(keys, claim, created);
  return await read(members, keys, reads, within);
}
