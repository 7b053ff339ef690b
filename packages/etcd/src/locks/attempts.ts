import type { Claim, Grant } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { Waiting } from '@locks/core/adapter';

import { isLeaseGone } from '../connection/errors.ts';
import { txn } from '../wire/calls.ts';
import type { TxnAnswer, TxnRequest } from '../wire/messages.ts';
import { grantOf, late, readLine, restart, useHold } from './holds.ts';
import type { LockParts } from './holds.ts';
import { judge } from './judge.ts';
import { secondsFor } from './leases.ts';
import type { Lease } from './leases.ts';
import { lineIn } from './line.ts';
import type { Entry, KeyLine } from './line.ts';
import type { OwnLeases } from './own-leases.ts';
import { counted, grantRequest, placeRequest, removal, unknownLine } from './requests.ts';
import type { Watches } from './watches.ts';

/** What attempts need besides. */
export interface AttemptParts extends LockParts {
  readonly watches: Watches;
  /** In ms. */
  readonly waiterTtl: number;
  /** Whether a claim of this process is in line on the key. */
  readonly waitsFor: (key: string) => boolean;
}

/** One attempt, as `createLine` asks for it. */
export async function attempt(
  parts: AttemptParts,
  claim: Claim,
  others: readonly Claim[] | undefined,
  within: number,
): Promise<Grant | Waiting> {
  return await new Attempt(parts, claim, within).make(others);
}

class Attempt {
  readonly #parts: AttemptParts;
  readonly #claim: Claim;
  readonly #own: OwnLeases;
  readonly #until: number;
  /** For the hold, restarted in this attempt. */
  #lease: Lease | undefined = undefined;
  /** The raft term before that. */
  #term: string | undefined = undefined;

  constructor(parts: AttemptParts, claim: Claim, within: number) {
    this.#parts = parts;
    this.#claim = claim;
    this.#own = parts.owners.keep(claim.owner, Math.max(claim.ttl, parts.waiterTtl));
    this.#until = parts.clock.now() + within;
  }

  async make(others: readonly Claim[] | undefined): Promise<Grant | Waiting> {
    const { key } = this.#claim;
    if (others !== undefined) await this.#keepPlaces(others);
    const known = this.#own.place !== undefined || this.#own.hold !== undefined || (this.#claim.floor ?? 0n) > 0n;
    const first = known || (others !== undefined && this.#parts.waitsFor(key));
    let line = first ? await this.#read() : unknownLine;
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
      } else if (verdict.kind === 'free') {
        const next = await this.#take(line, verdict.own);
        if ('granted' in next) return next;
        line = next;
      } else {
        this.#giveLease();
        if (others === undefined) return this.#busy();
        if (verdict.own !== undefined) return this.#wait(verdict.own, verdict.ahead, line);
        line = await this.#enter();
      }
    }
  }

  /** Takes a key that seems to be free. Gives the line where it is not. */
  async #take(line: KeyLine, own: Entry | undefined): Promise<Grant | KeyLine> {
    const claim = this.#claim;
    const token = counted(line, claim);
    const lease = await this.#holdLease();
    const request = grantRequest(this.#parts.keys, claim, lease.id, line, own, token);
    const answer = await this.#send(request, 'an attempt', lease);
    if (answer === undefined) {
      if (this.#own.hold === lease) this.#own.hold = undefined;
      this.#lease = undefined;
      return line;
    }
    if (!answer.succeeded) return lineIn(answer, this.#parts.keys);
    useHold(this.#own, lease, this.#parts.leases);
    this.#lease = undefined;
    if (this.#term !== undefined && this.#term !== answer.header.raftTerm) return await this.#read();
    return this.#granted(token ?? BigInt(answer.header.revision), lease.lasts);
  }

  /** Puts the claim at the end of the line. */
  async #enter(): Promise<KeyLine> {
    const { keys, leases, waiterTtl } = this.#parts;
    this.#own.place ??= (await leases.take(secondsFor(waiterTtl), this.#left())).lease;
    const place = this.#own.place;
    const answer = await this.#send(placeRequest(keys, this.#claim, place.id), 'a place in line', place);
    if (answer !== undefined) return lineIn(answer, keys);
    this.#own.place = undefined;
    return await this.#read();
  }

  /** Restarts the leases of places of this process. One that is gone is not brought back. */
  async #keepPlaces(others: readonly Claim[]): Promise<void> {
    const { owners, leases } = this.#parts;
    const owned = [this.#own, ...others.map(({ owner }) => owners.get(owner))];
    await Promise.all(
      owned.map(async (own) => {
        const place = own?.place;
        if (own === undefined || place === undefined) return;
        const kept = await leases.keep(place.id, this.#left());
        if (kept === undefined && own.place === place) own.place = undefined;
        own.until = Math.max(own.until, this.#parts.clock.now() + (kept?.lasts ?? 0));
      }),
    );
  }

  /** A lease for the hold, restarted in this attempt. */
  async #holdLease(): Promise<Lease> {
    if (this.#lease !== undefined) return this.#lease;
    const { leases } = this.#parts;
    const seconds = secondsFor(this.#claim.ttl);
    const { hold } = this.#own;
    if (hold?.seconds === seconds) {
      const kept = await leases.keep(hold.id, this.#left());
      if (kept !== undefined) {
        this.#lease = hold;
        this.#term = kept.term;
        return hold;
      }
    }
    const { lease, term } = await leases.take(seconds, this.#left());
    this.#lease = lease;
    this.#term = term;
    return lease;
  }

  /** `undefined`: the lease is gone, and nothing was written. */
  async #send(request: TxnRequest, what: string, lease: Lease): Promise<TxnAnswer | undefined> {
    try {
      return await this.#parts.members.call(txn, request, what, { within: this.#left() });
    } catch (error) {
      if (isLeaseGone(error)) return undefined;
      if (isLockError(error) && error.sent === false) this.#giveLease();
      else {
        lease.unsure = true;
        if (lease === this.#lease) useHold(this.#own, lease, this.#parts.leases);
      }
      throw error;
    }
  }

  #granted(token: bigint, hold: number): Grant {
    const { watches, leases } = this.#parts;
    watches.forget(this.#claim.owner);
    if (this.#own.place !== undefined) leases.give(this.#own.place);
    this.#own.place = undefined;
    this.#own.until = Math.max(this.#own.until, this.#parts.clock.now() + hold);
    return grantOf(token, hold, this.#claim);
  }

  #wait(own: Entry, ahead: readonly Entry[], { revision }: KeyLine): Waiting {
    // Another attempt of this claim may have put it there.
    if (this.#own.place?.id !== own.lease) {
      const { waiterTtl } = this.#parts;
      this.#own.place = { id: own.lease, seconds: secondsFor(waiterTtl), lasts: waiterTtl, unsure: true };
    }
    this.#parts.watches.watch(this.#claim, ahead, revision);
    return this.#busy();
  }

  #busy(): Waiting {
    return { granted: false, retryAfter: Math.floor(this.#parts.waiterTtl / 3) };
  }

  /** A refused claim leaves no place. */
  async #leave(own: Entry | undefined): Promise<void> {
    this.#giveLease();
    if (own === undefined) return;
    await this.#parts.members.call(txn, removal(own.name), 'the end of a place', { within: this.#left(), repeats: true });
  }

  /** The lease was not needed. One that an earlier attempt has used stays with the claim. */
  #giveLease(): void {
    if (this.#lease !== undefined && this.#lease !== this.#own.hold) this.#parts.leases.give(this.#lease);
    this.#lease = undefined;
  }

  async #read(): Promise<KeyLine> {
    if (this.#parts.clock.now() >= this.#until) throw late(this.#claim);
    return (await readLine(this.#parts, this.#claim.key, this.#left())).line;
  }

  #left(): number {
    return Math.max(1, this.#until - this.#parts.clock.now());
  }
}
