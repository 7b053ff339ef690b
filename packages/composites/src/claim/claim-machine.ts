import type { MemberHold } from '../members/key-states.ts';
import type { MemberAnswer } from '../members/member-answers.ts';
import { takeAnswer } from './answers.ts';
import { goOnAsking, goOnConfirming } from './attempt.ts';
import { isHeld } from './claim-state.ts';
import type { Change, ClaimState } from './claim-state.ts';
import { chooseQueue } from './decisions.ts';
import { Machine } from './machine.ts';
import { emptyPart, hasSomething, isVote } from './part.ts';
import { askForPlaces, askInTurn, askToRenew, goOnRenewing } from './renewal.ts';

/** The number of a part whose owner was created by another process. */
export const adopted = -1;

/**
 * One claim of a composite: an explicit state machine. Events change its state, and it responds
 * with calls to its world. A call belongs to a part, not to a round: the state at the time of a
 * late answer decides whether its result is kept or returned.
 */
export class ClaimMachine extends Machine {
  /** Whether the members have nothing of it, and no call is in flight. */
  get isEmpty(): boolean {
    const { stage, parts } = this.state;
    return (stage === 'resting' || stage === 'over') && !parts.some(hasSomething);
  }

  /** By the clock of this process too few votes are left, and no call in flight may extend one. */
  get isOver(): boolean {
    const { options, world } = this;
    const now = world.now();
    return this.state.parts.filter(({ until, call }) => until > now || call !== undefined).length < options.need;
  }

  get isInQueue(): boolean {
    return this.state.parts.some(({ inQueue }) => inQueue);
  }

  /** Core attempts. `crowded`: other claims of this process wait for the key. */
  attempt(waits: boolean, crowded: boolean, change?: Change): void {
    const { options, state, world } = this;
    // A repeat without a wake keeps the position.
    state.waits = waits || state.waiting;
    if (state.stage === 'held') {
      this.renew(undefined, change);
      return;
    }
    this.beginRound('asking');
    state.floor = options.fencing ? world.floor() : undefined;
    state.moves = 0;
    state.paused = false;
    state.askedAll = !state.waiting && !crowded;
    state.queue = chooseQueue(state.parts, (member) => world.isSuspect(member));
    // Votes kept while it waits last as long as a position, from here.
    for (const part of state.askedAll ? [] : state.parts)
      if (part.token !== undefined) this.ask(part, false, false, true);
    this.#goOn();
  }

  /** Core renews. `token`: the claim's new token. */
  renew(token: bigint | undefined, change?: Change): void {
    const { options, state } = this;
    if (token !== undefined && options.fencing && token > state.token) state.token = token;
    this.beginRound('renewing');
    askToRenew(this, change, token !== undefined);
    this.#goOn();
  }

  /** The claim is held already: another process took it. */
  adopt(holds: readonly MemberHold[]): void {
    const { options, state, world } = this;
    const since = world.now();
    const until = since + options.ttl;
    for (const { member, holder } of holds) {
      const { token = 0n } = holder;
      Object.assign(this.part(member), { number: adopted, token, since, until });
    }
    const tokens = holds.map(({ holder }) => holder.token ?? 0n);
    state.token = tokens.reduce((lowest, each) => (each < lowest ? each : lowest));
    // Its previous process may rely on it as long as its votes last.
    state.promisedUntil = until;
    state.stage = 'held';
    state.found = true;
  }

  /** Core gives up a lost claim. `false`: its votes are returned when core's promised time ends. */
  forsake(): boolean {
    const { state } = this;
    if (!isIdle(state) || !this.keepsPromise) return true;
    state.stage = 'resting';
    this.giveBackAll();
    return false;
  }

  /** The time that core was promised for a lost claim has ended. */
  promiseOver(): void {
    const { state } = this;
    if (!state.lost || this.world.now() < state.promisedUntil) return;
    state.lost = false;
    // An attempt in progress, or waiting, continues.
    if (isIdle(state)) this.release();
  }

  /** Core gives it up. Everything at the members is returned; the world counts their answers. */
  release(): void {
    const { state } = this;
    state.lost = false;
    state.stage = 'over';
    state.waiting = false;
    state.outcome = undefined;
    this.giveBackAll();
  }

  /** Its process ends its calls: what is not part of a hold is returned. */
  close(): void {
    const { state } = this;
    if (!isHeld(state)) this.release();
    else this.giveBackAll(false, ({ token }) => token === undefined);
  }

  /** What a member has is no longer part of this claim. */
  leave(member: number): void {
    this.state.parts[member] = emptyPart(member);
  }

  /** A member answered the call in flight. */
  answered(member: number, answer: MemberAnswer): void {
    if (takeAnswer(this, this.part(member), answer)) this.#goOn();
  }

  /** A member has not answered in time. A late answer still counts. */
  silent(member: number): void {
    this.part(member).late = true;
    this.#goOn();
  }

  /** The time limit of core's call: late members are no longer awaited. */
  expired(): void {
    this.state.patient = false;
    this.#goOn();
  }

  /** A member reported that its vote is gone: its session has ended. */
  gone(member: number): void {
    const { options, state, world } = this;
    const part = this.part(member);
    part.token = undefined;
    part.heard = 'failed';
    if (state.stage === 'held') {
      const now = world.now();
      if (state.parts.filter((each) => isVote(each, now)).length < options.need) {
        this.lose();
        world.lost();
      }
    } else this.#goOn();
  }

  /** A member notified that another attempt is worthwhile. `false`: core must be notified. */
  woken(member: number): boolean {
    const { state } = this;
    if (isHeld(state)) {
      askInTurn(this, this.part(member));
      return true;
    }
    if (state.stage !== 'pausing' || member !== state.queue) return false;
    this.#askAgain();
    return true;
  }

  /** Another claim may hold the key, and needs the votes that this one keeps. */
  looked(): void {
    const { state } = this;
    if (!state.waiting || (state.stage !== 'resting' && state.stage !== 'returning')) return;
    state.keptSince = undefined;
    this.giveBackAll(false, ({ token }) => token !== undefined);
  }

  /** A pause has ended. */
  resumed(): void {
    const { state } = this;
    if (state.stage === 'pausing') this.#askAgain();
    else if (isHeld(state) && this.world.now() >= (state.healAt ?? Infinity)) askForPlaces(this);
  }

  #askAgain(): void {
    const { state } = this;
    state.stage = 'asking';
    this.part(state.queue).heard = undefined;
    this.#goOn();
  }

  /** A member took back what `giveBack` awaits, or did not answer in time. */
  returned(): void {
    this.state.returning -= 1;
    this.settleIfReturned();
  }

  /** Ends waiting for members' answers. */
  #goOn(): void {
    const { state } = this;
    const now = this.world.now();
    switch (state.stage) {
      case 'asking':
        goOnAsking(this, now);
        break;
      case 'confirming':
        goOnConfirming(this, now);
        break;
      case 'renewing':
        goOnRenewing(this, now);
        break;
      case 'resting':
      case 'pausing':
      case 'returning':
        this.tidy();
        break;
      case 'held':
      case 'over':
        break;
      default:
        state.stage satisfies never;
    }
  }
}

/** No attempt is in progress or waiting. */
function isIdle({ stage, waiting }: ClaimState): boolean {
  return stage === 'held' || (stage === 'resting' && !waiting);
}
