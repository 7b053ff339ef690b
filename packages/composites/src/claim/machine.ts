import type { MemberCall } from '../members/member-answers.ts';
import { initialState, isHeld } from './claim-state.ts';
import type { ClaimState, MachineOptions, MachineWorld, Outcome, Stage } from './claim-state.ts';
import { emptyPart, hasSomething, isUnasked } from './part.ts';
import type { Part } from './part.ts';

/** The operations of one claim's steps. Each member has at most one call in flight. */
export class Machine {
  readonly options: MachineOptions;
  readonly world: MachineWorld;
  readonly state: ClaimState;

  constructor(options: MachineOptions, world: MachineWorld, state: ClaimState = initialState(options.members)) {
    this.options = options;
    this.world = world;
    this.state = state;
  }

  part(member: number): Part {
    return this.state.parts[member] as Part;
  }

  /** Restarts the ttl of a vote. `needed`: as for `ask`. `raises`: also sends the token. */
  renewVote(part: Part, needed = false, raises = true): void {
    if (!needed && !this.#mayCall(part)) return;
    const { token } = this.state;
    const raised = raises && this.options.fencing && part.token !== undefined && part.token <= token;
    this.#send(part, 'renew', raised ? token : undefined);
  }

  /** A vote kept while the claim waits lasts no longer than a position. */
  shorten(part: Part): void {
    const { ttl, place } = this.options;
    if (part.token === undefined || part.brief || ttl <= place || !this.#mayCall(part)) return;
    this.#send(part, 'renew', undefined, true);
  }

  /**
   * Requests a vote. `needed`: even if the member is suspect and has a call in flight. `brief`:
   * only as long as a position, if the attempt does not wait for the answer.
   */
  ask(part: Part, inQueue = false, needed = false, brief = false): void {
    const passedOver = this.#isPassedOver(part);
    if (part.call !== undefined || (passedOver && !needed && !this.world.takesCall(part.member))) return;
    if (part.number === 0) part.number = this.world.nextNumber();
    const { token, floor } = this.state;
    const held = isHeld(this.state);
    const above = held && this.options.fencing ? token : floor;
    const isBrief = !held && (brief || (passedOver && !needed));
    this.#send(part, inQueue ? 'ask in the queue' : 'ask', above, isBrief, passedOver);
  }

  /** Asks the members that were not asked. `needed`: as for `ask`. */
  askOthers(needed = false): void {
    const now = this.world.now();
    const { parts, queue } = this.state;
    for (const part of parts) if (part.member !== queue && isUnasked(part, now)) this.ask(part, false, needed);
  }

  /** A suspect member gets one call at a time, if the others suffice. */
  #mayCall(part: Part): boolean {
    return part.call === undefined && (!this.#isPassedOver(part) || this.world.takesCall(part.member));
  }

  #send(
    part: Part,
    call: MemberCall,
    token: bigint | undefined,
    brief = false,
    late: boolean = this.#isPassedOver(part),
  ): void {
    part.call = call;
    part.sentAt = this.world.now();
    const { ttl, place } = this.options;
    part.brief = brief && place < ttl;
    // Even if it is not answered.
    if (part.brief) part.until = Math.min(part.until, part.sentAt + place);
    part.late = late;
    this.world.send(part, call, token);
  }

  /** A suspect is awaited only if the others are too few. */
  #isPassedOver({ member }: Part): boolean {
    const { world, state, options } = this;
    if (!world.isSuspect(member)) return false;
    return state.parts.filter((part) => !world.isSuspect(part.member)).length >= options.need;
  }

  /**
   * Returns everything that a member has, except a vote that is part of core's promise. `awaited`:
   * the answer to core waits for it, even if a call is in flight, whose result would delay others
   * after the answer. `refused`: the member reports no such vote.
   */
  giveBack(part: Part, awaited = false, refused = false): void {
    if (!refused && part.token !== undefined && this.keepsPromise) return;
    if (hasSomething(part)) {
      const waits = awaited && !this.world.isSuspect(part.member);
      if (waits) this.state.returning += 1;
      this.world.giveBack(part, waits);
    }
    if (part.heard === 'granted') part.heard = undefined;
    this.state.parts[part.member] = emptyPart(part.member, part);
  }

  /** `isSo`: selects the parts. `awaited`: as for `giveBack`. */
  giveBackAll(awaited = false, isSo?: (part: Part) => boolean): void {
    for (const part of this.state.parts) if (isSo?.(part) ?? true) this.giveBack(part, awaited);
  }

  /** Core has called: earlier answers of the members do not count. */
  beginRound(stage: Stage): void {
    this.state.stage = stage;
    this.state.patient = true;
    for (const part of this.state.parts) {
      part.heard = undefined;
      part.error = undefined;
    }
  }

  /** Core is promised the key until then. */
  promise(outcome: Outcome & { readonly until: number }): void {
    this.state.lost = false;
    // An earlier promise holds, too.
    this.state.promisedUntil = Math.max(this.state.promisedUntil, outcome.until);
    this.world.settle(outcome);
  }

  /** It has too few votes. The remaining ones keep others out until core's promised time ends. */
  lose(): void {
    this.state.lost = true;
    if (this.keepsPromise) this.world.keep(this.state.promisedUntil);
  }

  /** Whether it was lost before core's promised time ends, and some of its votes are left. */
  get keepsPromise(): boolean {
    const { lost, promisedUntil, parts } = this.state;
    return lost && this.world.now() < promisedUntil && parts.some(({ token }) => token !== undefined);
  }

  /** Answers core once the members have taken back what the claim must not keep. */
  answerLater(outcome: Outcome): void {
    this.state.stage = 'returning';
    this.state.outcome = outcome;
    this.settleIfReturned();
  }

  /** Answers core, if no member has yet to take something back. */
  settleIfReturned(): void {
    const { state } = this;
    const { outcome } = state;
    if (state.stage !== 'returning' || state.returning > 0 || outcome === undefined) return;
    state.stage = 'resting';
    state.outcome = undefined;
    this.world.settle(outcome);
  }

  /** Returns what a late answer brought to a claim that waits, or was refused. */
  tidy(): void {
    const { waiting, queue } = this.state;
    this.giveBackAll(false, ({ member, call, token, inQueue }) => {
      const kept = waiting && (token !== undefined ? member < queue : member === queue);
      return call === undefined && !kept && (token !== undefined || (inQueue && waiting));
    });
  }
}
