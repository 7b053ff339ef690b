import type { Claim } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { Clock } from '@locks/core/adapter';
import { isLeaseGone } from '../connection/errors.ts';
import type { Members } from '../connection/members.ts';
import { txn } from '../wire/calls.ts';
import { moveRequest, placeRequest } from './algorithm.ts';
import type { Keys } from './keys.ts';
import type { Lease, Leases } from './leases.ts';
import { late, queueIn } from './queue.ts';
import type { Entry, KeyQueue } from './queue.ts';

interface PlaceParts {
  readonly members: Members;
  readonly keys: Keys;
  readonly leases: Leases;
  readonly clock: Clock;
}

/** The place of one claim of this process in the queue of its key. */
export interface Place {
  /** The id of the lease that it is under, as far as this process knows. */
  lease: string | undefined;
  /** As it was seen last, unless it was written since. */
  entry: Entry | undefined;
  /** The claim before it as it was seen last, where no other one matters. */
  ahead: Entry | undefined;
  /** How many requests that make it may still take effect. */
  unanswered: number;
}

/** The places of this process in the queue of one key. */
interface KeyPlaces {
  readonly byOwner: Map<string, Place>;
  lease: Lease | undefined;
  /** When the last restart of `lease` was sent, by the clock. */
  keptAt: number;
  /** A restart of `lease` under way, or of the one that follows it. */
  keeping: Promise<Lease> | undefined;
}

/**
 * A lease that was restarted within this part of its time is not restarted again. More makes a late
 * sign of life lose the place. Less sends a renewal for each claim of a crowd.
 */
const fresh = 1 / 30;
/**
 * From so many claims of this process on, those that wait for a key read its queue together. For
 * each read etcd reads and sorts all of it. With less, a claim that enters sends one call more.
 * With more, queues of thousands take etcd longer.
 */
const crowd = 8;

/**
 * One lease for all places of this process in the queue of a key: each repeat of one of the claims
 * keeps all of them. A place must not outlive its claim. So where a claim leaves and its place may
 * stay, or come later, that lease is restarted no more. The other places get a new one, each at its
 * next sign of life.
 */
export class PlaceLeases {
  readonly #parts: PlaceParts;
  readonly #seconds: number;
  readonly #keys = new Map<string, KeyPlaces>();

  /** A place lasts for `seconds` without a repeat. */
  constructor(parts: PlaceParts, seconds: number) {
    this.#parts = parts;
    this.#seconds = seconds;
  }

  /** Whether `owner` may have a place in the queue of `key`. */
  has(key: string, owner: string): boolean {
    return this.get(key, owner) !== undefined;
  }

  /** Whether so many claims of this process wait for `key` that they read its queue together. */
  isCrowd(key: string): boolean {
    return (this.#keys.get(key)?.byOwner.size ?? 0) >= crowd;
  }

  get(key: string, owner: string): Place | undefined {
    return this.#keys.get(key)?.byOwner.get(owner);
  }

  /**
   * Puts `claim` at the end of the queue. With `reads` it gives the queue then. `undefined`: read
   * it. `isOver`: whether the claim was released. `left`: how many ms are left.
   */
  async enter(claim: Claim, reads: boolean, isOver: () => boolean, left: () => number): Promise<KeyQueue | undefined> {
    const { members, keys } = this.#parts;
    const { key, owner } = claim;
    const place = this.#placeFor(key, owner);
    try {
      const lease = await this.#keep(key, left());
      // It was released meanwhile: a place would be left.
      if (lease === undefined || isOver() || this.get(key, owner) !== place) throw late(claim);
      place.unanswered++;
      const request = placeRequest(keys, claim, lease.id, reads);
      const answer = await members
        .call(txn, request, 'a position in the queue', { within: left() })
        .catch((error: unknown) => {
          if (!isLeaseGone(error)) throw error;
          const places = this.#keys.get(key);
          if (places?.lease?.id === lease.id) places.lease = undefined;
          return undefined;
        });
      place.unanswered--;
      return answer !== undefined && reads ? queueIn(answer, keys) : undefined;
    } catch (error) {
      if (isLockError(error) && error.sent === false) {
        place.unanswered = Math.max(0, place.unanswered - 1);
        if (place.lease === undefined) this.leave(key, owner, false);
      }
      throw error;
    }
  }

  /**
   * Restarts the lease of the places of `claims`, which wait for `key`, and puts them under it.
   * Gives the owners of those that are in the queue still.
   */
  async keep(key: string, claims: readonly Claim[], left: () => number): Promise<readonly string[]> {
    const { members, keys } = this.#parts;
    const lease = await this.#keep(key, left());
    if (lease === undefined) return [];
    const isUnder = ({ owner }: Claim): boolean => this.get(key, owner)?.lease === lease.id;
    const move = async (claim: Claim): Promise<void> => {
      const options = { within: left(), repeats: true };
      const request = moveRequest(keys, claim, lease.id);
      const { succeeded } = await members.call(txn, request, 'a position in the queue', options);
      const place = this.get(key, claim.owner);
      if (place === undefined) return;
      // It was written since it was seen.
      place.entry = undefined;
      if (succeeded) place.lease = lease.id;
    };
    const others = claims.filter((claim) => this.get(key, claim.owner)?.lease !== undefined && !isUnder(claim));
    await Promise.all(others.map(move));
    return claims.filter(isUnder).map(({ owner }) => owner);
  }

  /**
   * `owner` has no place in the queue of `key` any more. `unsure`: it may have one, as its removal
   * was not answered.
   */
  leave(key: string, owner: string, unsure: boolean): void {
    const places = this.#keys.get(key);
    const place = places?.byOwner.get(owner);
    if (places === undefined || place === undefined) return;
    const { lease, byOwner } = places;
    byOwner.delete(owner);
    const stays = unsure || place.unanswered > 0;
    const last = byOwner.size === 0;
    if (last) this.#keys.delete(key);
    if (stays) {
      places.lease = undefined;
      places.keeping = undefined;
    }
    if (lease === undefined || !last) return;
    if (stays) this.#parts.leases.end(lease.id);
    else this.#parts.leases.give(lease);
  }

  /** All claims have left. */
  close(): void {
    for (const { lease } of this.#keys.values()) if (lease !== undefined) this.#parts.leases.end(lease.id);
    this.#keys.clear();
  }

  /** From now on `owner` may have a place in the queue of `key`, until it leaves. */
  #placeFor(key: string, owner: string): Place {
    let places = this.#keys.get(key);
    if (places === undefined) {
      places = { byOwner: new Map(), lease: undefined, keptAt: -Infinity, keeping: undefined };
      this.#keys.set(key, places);
    }
    let place = places.byOwner.get(owner);
    if (place === undefined) {
      place = { lease: undefined, entry: undefined, ahead: undefined, unanswered: 0 };
      places.byOwner.set(owner, place);
    }
    return place;
  }

  /** The lease of the places in the queue of `key`, just restarted. `undefined`: all have left. */
  async #keep(key: string, within: number): Promise<Lease | undefined> {
    const places = this.#keys.get(key);
    if (places === undefined) return undefined;
    const now = this.#parts.clock.now();
    const { lease, keptAt } = places;
    if (places.keeping !== undefined) return await places.keeping;
    if (lease !== undefined && now - keptAt < fresh * this.#seconds * 1_000) return lease;
    const keeping = this.#restart(lease, within);
    places.keeping = keeping;
    try {
      const kept = await keeping;
      if (places.keeping === keeping) {
        places.lease = kept;
        places.keptAt = now;
      }
      // All have left meanwhile.
      if (kept !== lease && this.#keys.get(key) !== places) this.#parts.leases.give(kept);
      return kept;
    } finally {
      if (places.keeping === keeping) places.keeping = undefined;
    }
  }

  async #restart(lease: Lease | undefined, within: number): Promise<Lease> {
    const { leases } = this.#parts;
    if (lease !== undefined && (await leases.keep(lease.id, within)) !== undefined) return lease;
    return (await leases.take(this.#seconds, within)).lease;
  }
}
