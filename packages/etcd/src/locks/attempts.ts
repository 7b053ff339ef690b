import type { Claim, Grant } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { Deadline, Waiting } from '@locks/core/adapter';
import { isLeaseGone } from '../connection/errors.ts';
import { txn } from '../wire/calls.ts';
import type { TxnAnswer, TxnRequest } from '../wire/messages.ts';
import { grantOf, late, read, restart, useHold } from './holds.ts';
import type { LockParts } from './holds.ts';
import type { KeyReads } from './key-reads.ts';
import { judge } from './judge.ts';
import { secondsFor } from './leases.ts';
import type { Lease } from './leases.ts';
import { lineIn, readsOf } from './line.ts';
import type { Entry, KeyLine } from './line.ts';
import type { OwnClaim } from './own-claims.ts';
import type { Place, PlaceLeases } from './places.ts';
import { grantRequest, moveRequest, placeRequest, removal, unknownLine } from './requests.ts';
import type { Watches } from './watches.ts';

/** What attempts need besides. */
export interface AttemptParts extends LockParts {
  readonly watches: Watches;
  readonly places: PlaceLeases;
  /** In ms. */
  readonly waiterTtl: number;
  readonly reads: KeyReads;
  readonly deadline: Deadline;
  /** Whether a claim of this process is in line on the key. */
  readonly waitsFor: (key: string) => boolean;
}

/**
 * One attempt, settled within `within` ms. With `others`, which wait for the same key, the claim
 * takes or keeps its place, and so do they.
 */
export async function attempt(
  parts: AttemptParts,
  claim: Claim,
  others: readonly Claim[] | undefined,
  within: number,
): Promise<Grant | Waiting> {
  const made = new Attempt(parts, claim, within);
  const { owners, places, reads, deadline, waitsFor, base } = parts;
  const { key, owner } = claim;
  if (owners.keep(owner, 0).hold !== undefined || places.has(key, owner)) return await made.again(others);
  if (others !== undefined && (waitsFor(key) || reads.isBusy(key))) return await made.inLine();
  if (waitsFor(key) || reads.isBusy(key))
    return await made.from(await deadline.race(reads.after(key), 'a read of the line', within), others !== undefined);
  return await reads.lead(key, () => made.from(unknownLine(base.known), others !== undefined));
}

/** How often a claim without a place tries for a key that others try for. */
const mostConflicts = 2;

class Attempt {
  readonly #parts: AttemptParts;
  readonly #claim: Claim;
  readonly #own: OwnClaim;
  readonly #until: number;
  /** For the hold, restarted in this attempt. */
  #lease: Lease | undefined = undefined;
  /** The raft term before that. */
  #term: string | undefined = undefined;
  #conflicts = 0;

  constructor(parts: AttemptParts, claim: Claim, within: number) {
    this.#parts = parts;
    this.#claim = claim;
    this.#own = parts.owners.keep(claim.owner, Math.max(claim.ttl, parts.waiterTtl));
    this.#until = parts.clock.now() + within;
  }

  /** A claim that may have a hold, or a place. With `others` it and they keep their places. */
  async again(others: readonly Claim[] | undefined): Promise<Grant | Waiting> {
    if (others !== undefined) await this.#keepPlaces([this.#claim, ...others]);
    return await this.from(await this.#read(), others !== undefined);
  }

  /** A claim that has to wait, as others of this process wait. */
  async inLine(): Promise<Grant | Waiting> {
    return await this.from(await this.#enter(), true);
  }

  /** With what is known of the line. */
  async from(known: KeyLine, waits: boolean): Promise<Grant | Waiting> {
    let line = known;
    for (;;) {
      const verdict = judge(line, this.#claim);
      if (verdict.kind === 'refused') {
        if (verdict.own?.ttl === undefined) await this.#leave(verdict.own);
        throw verdict.reason;
      }
      if (verdict.kind === 'held') {
        const held = await restart(this.#parts, this.#claim, { until: this.#until, renews: false });
        if (held !== undefined) return this.#granted(held.token, held.hold);
        line = await this.#read();
      } else if (verdict.kind === 'free' && (verdict.own !== undefined || this.#conflicts < mostConflicts)) {
        const next = await this.#take(line, verdict.own);
        if ('granted' in next) return next;
        line = next;
      } else {
        this.#giveLease();
        if (!waits) return this.#busy();
        if (verdict.kind === 'busy' && verdict.own !== undefined) return this.#wait(verdict.own, verdict.ahead, line);
        line = await this.#enter();
      }
    }
  }

  /** Takes a key that seems to be free. Gives the line where it is not. */
  async #take(line: KeyLine, own: Entry | undefined): Promise<Grant | KeyLine> {
    const claim = this.#claim;
    const { keys, leases, base } = this.#parts;
    const from = base.in(line);
    const to = base.above(from, claim.floor ?? 0n);
    const lease = await this.#holdLease();
    const answer = await this.#send(grantRequest(keys, claim, lease.id, line, own, { from, to }), 'an attempt', lease);
    if (answer === undefined) {
      if (this.#own.hold === lease) this.#own.hold = undefined;
      this.#lease = undefined;
      return line;
    }
    const revision = BigInt(answer.header.revision);
    if (!answer.succeeded) {
      const now = lineIn(answer, keys);
      // A base that was raised is no other claim.
      if (base.in(now).changed === from.changed) this.#conflicts++;
      return now;
    }
    base.written(from, to, revision);
    useHold(this.#own, lease, leases);
    this.#lease = undefined;
    // Another leader was elected since the lease was restarted.
    if (this.#term !== undefined && this.#term !== answer.header.raftTerm) return await this.#read();
    return this.#granted(to + revision, lease.lasts);
  }

  /** Puts the claim at the end of the line. */
  async #enter(): Promise<KeyLine> {
    const { keys, places, owners } = this.#parts;
    const { key, owner } = this.#claim;
    const place = places.enter(key, owner);
    const lease = await places.keep(key, this.#left());
    // It was released meanwhile: a place would be left.
    if (lease === undefined || owners.get(owner) !== this.#own || places.get(key, owner) !== place)
      throw late(this.#claim);
    place.unanswered++;
    const answer = await this.#send(placeRequest(keys, this.#claim, lease.id), 'a place in line', lease, place);
    if (answer !== undefined) return lineIn(answer, keys);
    places.lost(key, lease.id);
    return await this.#read();
  }

  /** Restarts the lease of the places of `claims`, and puts those under it that are not. */
  async #keepPlaces(claims: readonly Claim[]): Promise<void> {
    const { members, keys, places } = this.#parts;
    const { key } = this.#claim;
    const lease = await places.keep(key, this.#left());
    const others = claims.filter(({ owner }) => (places.get(key, owner)?.lease ?? lease?.id) !== lease?.id);
    if (lease === undefined || others.length === 0) return;
    const move = async (claim: Claim): Promise<void> => {
      const request = moveRequest(keys, claim, lease.id);
      const { succeeded } = await members.call(txn, request, 'a place in line', {
        within: this.#left(),
        repeats: true,
      });
      const place = places.get(key, claim.owner);
      if (succeeded && place !== undefined) place.lease = lease.id;
    };
    await Promise.all(others.map(move));
  }

  /** A lease for the hold, restarted in this attempt. */
  async #holdLease(): Promise<Lease> {
    if (this.#lease !== undefined) return this.#lease;
    const { leases } = this.#parts;
    const seconds = secondsFor(this.#claim.ttl);
    const { hold } = this.#own;
    const kept = hold?.seconds === seconds ? await leases.keep(hold.id, this.#left()) : undefined;
    if (hold !== undefined && kept !== undefined) {
      this.#lease = hold;
      this.#term = kept.term;
      return hold;
    }
    const { lease, term } = await leases.take(seconds, this.#left());
    this.#lease = lease;
    this.#term = term;
    return lease;
  }

  /** `undefined`: the lease is gone, and nothing was written. `place`: what the request makes. */
  async #send(request: TxnRequest, what: string, lease: Lease, place?: Place): Promise<TxnAnswer | undefined> {
    try {
      const answer = await this.#parts.members.call(txn, request, what, { within: this.#left() });
      if (place !== undefined) place.unanswered--;
      return answer;
    } catch (error) {
      const unsent = isLockError(error) && error.sent === false;
      const gone = isLeaseGone(error);
      if (place !== undefined && (gone || unsent)) place.unanswered--;
      if (gone) return undefined;
      if (unsent) this.#giveLease();
      else if (lease === this.#lease) {
        lease.unsure = true;
        useHold(this.#own, lease, this.#parts.leases);
      }
      throw error;
    }
  }

  #granted(token: bigint, hold: number): Grant {
    const { watches, places, clock } = this.#parts;
    const { key, owner } = this.#claim;
    watches.forget(owner);
    places.leave(key, owner, false);
    this.#own.until = Math.max(this.#own.until, clock.now() + hold);
    return grantOf(token, hold, this.#claim);
  }

  #wait(own: Entry, ahead: readonly Entry[], { revision }: KeyLine): Waiting {
    const { watches, places } = this.#parts;
    const { key, owner } = this.#claim;
    const place = places.get(key, owner);
    // It was released meanwhile.
    if (place === undefined) return this.#busy();
    place.lease = own.lease;
    this.#own.created = own.created;
    watches.watch(this.#claim, ahead, revision);
    return this.#busy();
  }

  #busy(): Waiting {
    return { granted: false, retryAfter: Math.floor(this.#parts.waiterTtl / 3) };
  }

  /** A refused claim leaves no place. */
  async #leave(own: Entry | undefined): Promise<void> {
    this.#giveLease();
    const { key, owner } = this.#claim;
    if (own !== undefined) await this.#remove(own);
    this.#parts.places.leave(key, owner, false);
  }

  async #remove({ name }: Entry): Promise<void> {
    await this.#parts.members.call(txn, removal(name), 'the end of a place', { within: this.#left(), repeats: true });
  }

  /** The lease was not needed. One that an earlier attempt has used stays with the claim. */
  #giveLease(): void {
    if (this.#lease !== undefined && this.#lease !== this.#own.hold) this.#parts.leases.give(this.#lease);
    this.#lease = undefined;
  }

  async #read(): Promise<KeyLine> {
    if (this.#parts.clock.now() >= this.#until) throw late(this.#claim);
    const { keys } = this.#parts;
    return await read(this.#parts, readsOf(keys, this.#claim, this.#own.created), this.#left());
  }

  #left(): number {
    return Math.max(1, this.#until - this.#parts.clock.now());
  }
}
