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

/** The position of one claim of this process in the queue of its key. */
export interface Place {
  /** The id of its lease, as far as this process knows. */
  lease: string | undefined;
  /** As last read, unless written since. */
  entry: Entry | undefined;
  /** The claim before it as last read, if no other one matters. */
  ahead: Entry | undefined;
  /** How many requests that create it may still take effect. */
  unanswered: number;
}

/** The positions of this process in the queue of one key. */
interface KeyPlaces {
  readonly byOwner: Map<string, Place>;
  lease: Lease | undefined;
  /** When the last restart of `lease` was sent, by the clock. */
  keptAt: number;
  /** The connections made before that. */
  connections: number;
  /** A restart of `lease`, or of the one that follows it, in progress. */
  keeping: Promise<Lease> | undefined;
}

/**
 * A lease restarted within this part of its time is not restarted again. More may lose the position
 * after a late renewal. Less sends a renewal for each claim of a crowd.
 */
const fresh = 1 / 30;
/**
 * From this number of waiting claims on, the claims of this process read the queue of a key
 * together, as etcd reads and sorts all of it each time. With less, a claim that enters sends one
 * more call. With more, queues of thousands take etcd longer.
 */
const crowd = 8;

/**
 * One lease for all positions of this process in the queue of a key: an attempt of any claim keeps
 * all of them. A position must not outlive its claim. So if a claim leaves and its position may
 * still exist, or be created later, that lease is no longer restarted. Nor is it after a new
 * connection: a store that went back to older data has positions of claims that left. The other
 * positions move to a new one with their next attempts.
 */
export class PlaceLeases {
  readonly #parts: PlaceParts;
  readonly #seconds: number;
  readonly #keys = new Map<string, KeyPlaces>();

  /** A position lasts for `seconds` without a repeat. */
  constructor(parts: PlaceParts, seconds: number) {
    this.#parts = parts;
    this.#seconds = seconds;
  }

  /** Whether `owner` may have a position in the queue of `key`. */
  has(key: string, owner: string): boolean {
    return this.get(key, owner) !== undefined;
  }

  /** Whether enough claims of this process wait for `key` to read its queue together. */
  isCrowd(key: string): boolean {
    return (this.#keys.get(key)?.byOwner.size ?? 0) >= crowd;
  }

  get(key: string, owner: string): Place | undefined {
    return this.#keys.get(key)?.byOwner.get(owner);
  }

  /**
   * Puts `claim` at the end of the queue. With `reads` it returns the queue; `undefined`: read it.
   * `isOver`: whether the claim was released. `left`: how many ms are left.
   */
  async enter(claim: Claim, reads: boolean, isOver: () => boolean, left: () => number): Promise<KeyQueue | undefined> {
    const { members, keys } = this.#parts;
    const { key, owner } = claim;
    const place = this.#placeFor(key, owner);
    try {
      const lease = await this.#keep(key, left());
      // It was released in the meantime: the position would remain.
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
   * Restarts the lease of the positions of `claims`, which wait for `key`, and moves them to it.
   * Returns the owners of those still in the queue.
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
   * `owner` has left the queue of `key`. `unsure`: its removal was not answered, so its position
   * may still exist.
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
    if (stays || places.connections !== this.#parts.members.connections) this.#parts.leases.end(lease.id);
    else this.#parts.leases.give(lease);
  }

  /** All claims have left. */
  close(): void {
    for (const { lease, byOwner } of this.#keys.values()) {
      // After a new connection, positions stay under an earlier one until their next attempts.
      const ids = new Set([lease?.id, ...[...byOwner.values()].map((place) => place.lease)]);
      for (const id of ids) if (id !== undefined) this.#parts.leases.end(id);
    }
    this.#keys.clear();
  }

  /** From now on `owner` may have a position in the queue of `key`, until it leaves. */
  #placeFor(key: string, owner: string): Place {
    let places = this.#keys.get(key);
    if (places === undefined) {
      places = { byOwner: new Map(), lease: undefined, keptAt: -Infinity, connections: 0, keeping: undefined };
      this.#keys.set(key, places);
    }
    let place = places.byOwner.get(owner);
    if (place === undefined) {
      place = { lease: undefined, entry: undefined, ahead: undefined, unanswered: 0 };
      places.byOwner.set(owner, place);
    }
    return place;
  }

  /**
   * The just restarted lease of the positions in the queue of `key`. `undefined`: all have left.
   */
  async #keep(key: string, within: number): Promise<Lease | undefined> {
    const places = this.#keys.get(key);
    if (places === undefined) return undefined;
    const now = this.#parts.clock.now();
    const { connections } = this.#parts.members;
    const { keptAt } = places;
    const lease = places.connections === connections ? places.lease : undefined;
    if (places.keeping !== undefined) return await places.keeping;
    if (lease !== undefined && now - keptAt < fresh * this.#seconds * 1_000) return lease;
    const keeping = this.#restart(lease, within);
    places.keeping = keeping;
    try {
      const kept = await keeping;
      if (places.keeping === keeping) {
        places.lease = kept;
        places.keptAt = now;
        places.connections = connections;
      }
      // All have left in the meantime.
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
