import type { Claim, Grant } from '@locks/core';
import { isLockError, upgradeRefused } from '@locks/core/adapter';
import type { Attempt as Asked, Attempted, Waiting } from '@locks/core/adapter';
import { isLeaseGone } from '../connection/errors.ts';
import { txn } from '../wire/calls.ts';
import type { TxnAnswer, TxnRequest } from '../wire/messages.ts';
import { grantRequest, judge } from './algorithm.ts';
import { restart, useHold } from './holds.ts';
import { secondsFor } from './leases.ts';
import type { Lease, TakenLease } from './leases.ts';
import { late, queueIn, read, readsOf, readsOfAll, readsOfClaims } from './queue.ts';
import type { Entry, KeyQueue } from './queue.ts';
import type { OwnClaim } from './own-claims.ts';
import type { Parts } from './parts.ts';

export async function attempt(parts: Parts, { claim, others, awaited, within }: Asked): Promise<Attempted> {
  const made = new Attempt(parts, claim, within);
  const { owners, places, reads, deadline, base } = parts;
  const { key, owner } = claim;
  if (owners.keep(owner, 0).hold !== undefined || places.has(key, owner)) return await made.again(others);
  if (awaited || reads.isBusy(key)) {
    if (others !== undefined) return await made.from(await made.enter(), true);
    return await made.from(await deadline.race(reads.after(key), 'a read of the queue', within), false);
  }
  made.leads = true;
  // The key is assumed to be free.
  return await reads.lead(key, () => made.from({ revision: 0n, entries: [], base: base.known }, others !== undefined));
}

/** How often a claim without a position tries for a contended key. */
const mostConflicts = 2;

class Attempt {
  readonly #parts: Parts;
  readonly #claim: Claim;
  readonly #own: OwnClaim;
  readonly #until: number;
  /** For the hold, new or restarted in this attempt. */
  #taken: TakenLease | undefined = undefined;
  #conflicts = 0;
  /** Others wait for it; it does not wait for them. */
  leads = false;

  constructor(parts: Parts, claim: Claim, within: number) {
    this.#parts = parts;
    this.#claim = claim;
    this.#own = parts.owners.keep(claim.owner, Math.max(claim.ttl, parts.waiterTtl));
    this.#until = parts.clock.now() + within;
  }

  /** A claim that may have a hold or a position. With `others`, their positions are kept, too. */
  async again(others: readonly Claim[] | undefined): Promise<Attempted> {
    const claim = this.#claim;
    const { base, places, watches } = this.#parts;
    const entry = places.get(claim.key, claim.owner)?.entry;
    // A watch has reported that it is the first in the queue.
    if (entry !== undefined && claim.mode === 'exclusive' && watches.isFirst(claim.owner))
      return await this.from({ revision: 0n, entries: [entry], base: base.known }, others !== undefined);
    const kept = others && (await places.keep(claim.key, [claim, ...others], () => this.#left()));
    const queue = (await this.#readAhead()) ?? (await this.#read());
    return { ...(await this.from(queue, others !== undefined)), kept };
  }

  async from(known: KeyQueue, waits: boolean): Promise<Grant | Waiting> {
    let queue = known;
    for (;;) {
      const verdict = judge(queue, this.#claim);
      if (verdict.kind === 'refused') throw upgradeRefused(this.#claim);
      if (verdict.kind === 'held') {
        const held = await restart(this.#parts, this.#claim, { until: this.#until, renews: false });
        if (held !== undefined) return this.#granted(held.token, held.hold);
        queue = await this.#read();
      } else if (verdict.kind === 'free' && (verdict.own !== undefined || this.#conflicts < mostConflicts)) {
        const next = await this.#take(queue, verdict.own);
        if ('granted' in next) return next;
        queue = next;
      } else {
        this.#giveLease();
        if (!waits) return this.#busy();
        const { created = verdict.own?.created } = this.#own;
        if (verdict.kind !== 'busy' || verdict.own === undefined) queue = await this.enter();
        else if (created === verdict.own.created) return this.#wait(verdict.own, verdict.ahead, queue);
        else {
          // Not everything before its new position was read.
          this.#own.created = verdict.own.created;
          queue = await this.#read();
        }
      }
    }
  }

  /** Takes a key that seems to be free. Returns the queue if it is not. */
  async #take(queue: KeyQueue, own: Entry | undefined): Promise<Grant | KeyQueue> {
    const claim = this.#claim;
    const { keys, leases, base } = this.#parts;
    const from = base.in(queue);
    const to = base.above(from, claim.floor ?? 0n);
    this.#taken ??= await leases.take(secondsFor(claim.ttl), this.#left());
    const { lease, term } = this.#taken;
    const answer = await this.#send(grantRequest(keys, claim, lease.id, queue, own, { from, to }), lease);
    if (answer === undefined) {
      this.#taken = undefined;
      return queue;
    }
    const revision = BigInt(answer.header.revision);
    if (!answer.succeeded) {
      const now = queueIn(answer, keys);
      // A raised base is no conflict with another claim.
      if (base.in(now).changed === from.changed) this.#conflicts++;
      return now;
    }
    base.written(from, to, revision);
    useHold(this.#own, lease, leases);
    this.#taken = undefined;
    // A new leader was elected since the lease was restarted.
    if (term !== undefined && term !== answer.header.raftTerm) return await this.#read();
    return this.#granted(to + revision, lease.lasts);
  }

  /** Puts the claim at the end of the queue, and reads the queue. */
  async enter(): Promise<KeyQueue> {
    this.#own.created = undefined;
    const { owners, places } = this.#parts;
    const isOver = (): boolean => owners.get(this.#claim.owner) !== this.#own;
    const queue = await places.enter(this.#claim, !this.#isInCrowd(), isOver, () => this.#left());
    return queue ?? (await this.#read());
  }

  /** `undefined`: the lease is gone, and nothing was written. */
  async #send(request: TxnRequest, lease: Lease): Promise<TxnAnswer | undefined> {
    try {
      return await this.#parts.members.call(txn, request, 'an attempt', { within: this.#left() });
    } catch (error) {
      if (isLeaseGone(error)) return undefined;
      if (isLockError(error) && error.sent === false) this.#giveLease();
      else {
        lease.unsure = true;
        useHold(this.#own, lease, this.#parts.leases);
        this.#taken = undefined;
      }
      throw error;
    }
  }

  #granted(token: bigint, hold: number): Grant {
    const { watches, places, clock } = this.#parts;
    const { key, owner, ttl } = this.#claim;
    watches.forget(owner);
    places.leave(key, owner, false);
    this.#own.until = Math.max(this.#own.until, clock.now() + hold);
    return { granted: true, token, ...(hold > ttl && { hold }) };
  }

  #wait(own: Entry, ahead: readonly Entry[], { revision }: KeyQueue): Waiting {
    const { watches, places } = this.#parts;
    const { key, owner } = this.#claim;
    const place = places.get(key, owner);
    // It was released meanwhile.
    if (place === undefined) return this.#busy();
    place.lease = own.lease;
    place.entry = own;
    place.ahead = ahead.length === 1 ? ahead[0] : undefined;
    this.#own.created = own.created;
    watches.watch(this.#claim, ahead, revision);
    return this.#busy();
  }

  #busy(): Waiting {
    return { granted: false, retryAfter: Math.floor(this.#parts.waiterTtl / 3) };
  }

  /** The lease was not needed. */
  #giveLease(): void {
    if (this.#taken !== undefined) this.#parts.leases.give(this.#taken.lease);
    this.#taken = undefined;
  }

  /**
   * The part of the queue that an exclusive claim needs while the one before it exists.
   * `undefined`: all of it is needed.
   */
  async #readAhead(): Promise<KeyQueue | undefined> {
    const { members, keys, places } = this.#parts;
    const { key, owner, mode } = this.#claim;
    const ahead = places.get(key, owner)?.ahead;
    if (ahead === undefined || mode === 'shared') return undefined;
    const queue = await read(members, keys, readsOfClaims(keys, [ahead.name, keys.claim(key, owner)]), this.#left());
    return queue.entries.some(({ created }) => created === ahead.created) ? queue : undefined;
  }

  /** Reads what decides about the claim. */
  async #read(): Promise<KeyQueue> {
    const { members, keys, places, clock, reads, deadline } = this.#parts;
    const { key, owner } = this.#claim;
    const { created } = this.#own;
    if (clock.now() >= this.#until) throw late(this.#claim);
    if (this.#isInCrowd()) return await deadline.race(reads.after(key), 'a read of the queue', this.#left());
    const isUnseen = created === undefined && places.has(key, owner);
    const needed = isUnseen ? readsOfAll(keys, key) : readsOf(keys, this.#claim, created);
    return await read(members, keys, needed, this.#left());
  }

  #isInCrowd(): boolean {
    return !this.leads && this.#parts.places.isCrowd(this.#claim.key);
  }

  #left(): number {
    return Math.max(1, this.#until - this.#parts.clock.now());
  }
}
