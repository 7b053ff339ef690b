import type { Grant } from '@locks/core';
import { emptyRecord } from '@locks/core/adapter';
import type { Hold, KeyAnswer, KeyCall, KeyRecord, KeyRules } from '@locks/core/adapter';
import type { Bench } from './bench.ts';
import { isGrant, lastingCall, tokenOf } from './claims.ts';
import type { RunningParty } from './claims.ts';

/** What the rules expect of a call. */
export interface Expected {
  readonly before: KeyRecord;
  readonly answer: KeyAnswer;
}

/** An answer of `createQueue` to an attempt. */
export interface Shown {
  readonly kept?: readonly string[];
}

/** One key of a sequence, according to the rules. */
export class KeyState {
  record: KeyRecord = emptyRecord();
  readonly #bench: Bench;
  readonly #rules: KeyRules;
  /** The store's clock decides how high a token is, so the rules adopt what the store granted. */
  #leastToken = 0;

  constructor(bench: Bench) {
    this.#bench = bench;
    this.#rules = {
      waiterTtl: bench.waiterTtl,
      leastToken: () => this.#leastToken,
      assigns: bench.assigns,
    };
  }

  /** Applies a call that the store answered. `slack`: how long the longest call took, in ms. */
  apply(call: KeyCall, party: RunningParty | undefined, answer: unknown, sent: number, slack: number): Expected {
    const { record: before } = this.#bench.step(this.record, { op: 'inspect' }, sent, this.#rules);
    this.#leastToken = tokenOf(answer);
    const toldByMessage = party !== undefined && this.#learn(call, before, party, answer, sent, slack);
    const after = toldByMessage
      ? { record: before, answer: answer as Grant }
      : this.#bench.step(before, this.#bench.lasting ? lastingCall(call) : call, sent, this.#rules);
    this.record = after.record;
    return { before, answer: after.answer };
  }

  /**
   * Whether something may end during a call. The store may have begun to count anywhere within an
   * earlier call.
   */
  isUndecided(sent: number, answered: number, slack: number): boolean {
    const { margin } = this.#bench;
    if (margin === 0) return false;
    return this.#entries.some(({ until }) => until <= answered + margin && until + slack > sent - margin);
  }

  get #entries(): readonly { readonly owner: string; readonly until: number }[] {
    return [...this.record.holds, ...this.record.queue];
  }

  holdOf({ owner }: RunningParty): Hold | undefined {
    const now = this.#bench.time.now();
    return this.record.holds.find((hold) => hold.owner === owner && hold.until > now);
  }

  /** Whether it holds the key, or has a position. */
  has({ owner }: RunningParty): boolean {
    const now = this.#bench.time.now();
    return this.#entries.some((one) => one.owner === owner && one.until > now);
  }

  /** An attempt has refreshed positions of other claims of its process. */
  refresh({ kept = [] }: Shown, neighbours: readonly RunningParty[], sent: number): void {
    if (kept.length === 0) return;
    for (const [index, place] of this.record.queue.entries()) {
      // Where its hold may end, the first is to ask for itself, and is not named.
      const isFirst = index === 0 && neighbours.some(({ owner }) => owner === place.owner);
      if (isFirst || kept.includes(place.owner)) place.until = sent + this.#bench.waiterTtl;
    }
  }

  isUsed(now: number): boolean {
    return this.#entries.some(({ until }) => until > now);
  }

  /** Whether a waiting claim could be granted now. */
  isTurnOf(party: RunningParty): boolean {
    const { holds, queue } = this.record;
    if (this.holdOf(party)?.assigned) return true;
    const head = queue[0];
    if (head?.owner !== party.owner) return false;
    const any = holds[0];
    const room = head.mode === 'shared' && any?.mode === 'shared' && holds.length < (head.permits ?? Infinity);
    return any === undefined || room;
  }

  /**
   * Whether a grant may have come from a message, or from the store, whose call was slow: its
   * validity fits both, so the end of the hold is unknown.
   */
  isAmbiguous(call: KeyCall, answer: unknown, sent: number, slack: number): boolean {
    const { margin } = this.#bench;
    if (margin === 0 || call.op !== 'acquire' || !isGrant(answer) || answer.validity === undefined) return false;
    const { owner, ttl } = call.claim;
    const hold = this.record.holds.find((each) => each.owner === owner);
    return hold?.assigned === true && hold.until < sent + ttl && answer.validity > ttl - slack - margin;
  }

  /**
   * The token of an assigned hold is known when an attempt returns it. Returns whether the store
   * was not asked, as a message had reported the grant before: then the ttl continues.
   */
  #learn(call: KeyCall, before: KeyRecord, party: RunningParty, answer: unknown, sent: number, slack: number): boolean {
    const hold = before.holds.find(({ owner }) => owner === party.owner);
    if (call.op !== 'acquire' || hold?.assigned !== true || !isGrant(answer)) return false;
    const { floor = -1n } = call.claim;
    const told = Number(answer.token);
    if (told < hold.token || answer.token <= floor) return false;
    const raised = floor >= BigInt(hold.token);
    // A store that was asked may return a validity, too: that of a new hold.
    const left = hold.until - sent + slack + this.#bench.margin;
    const byMessage = answer.validity !== undefined && answer.validity <= left;
    if (!raised || byMessage) {
      hold.token = told;
      before.token = Math.max(before.token, told);
    }
    if (!byMessage) return false;
    hold.assigned = false;
    return true;
  }
}
