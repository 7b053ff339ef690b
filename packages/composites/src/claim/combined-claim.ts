import type { Busy, Claim, Grant, Renewal } from '@locks/core';
import type { LockError } from '@locks/core/adapter';
import { above, badAnswerError, schedule, scheduleSilence } from '@locks/core/composite';
import type { TimerEntry } from '@locks/core/composite';
import { ClaimMachine, adopted } from './claim-machine.ts';
import { isHeld } from './claim-state.ts';
import type { Change, MachineOptions, MachineWorld, Outcome, KnownLease } from './claim-state.ts';
import type { ClaimHost, HostedClaim } from './claim-host.ts';
import { combineStates } from '../members/key-states.ts';
import type { MemberHold } from '../members/key-states.ts';
import { readStates } from '../members/member-states.ts';
import { MemberSessions } from '../members/member-sessions.ts';
import { failure, readAnswer } from '../members/member-answers.ts';
import type { MemberCall } from '../members/member-answers.ts';
import { freeVotes } from './free-votes.ts';
import { mayGetVote } from './part.ts';
import type { Part } from './part.ts';
import { tooFewAnswers } from './too-few-answers.ts';
import { memberOwner } from '../members/member.ts';
import type { Member } from '../members/member.ts';
import { timedCall } from '../members/timed-call.ts';
import { ReleaseRound } from './release-round.ts';
import { Turns } from '../turns.ts';

/**
 * What may never be granted ends so many ms after its last call, like a place in line. With less,
 * claims that wait repeat more often. With more, one whose process dies closes a free key longer.
 */
const place = 6_000;

/** What one member has of a claim: under this owner, with this token, in this session. */
export interface KeptHold {
  readonly owner: string;
  readonly token: bigint;
  readonly lost: AbortSignal | undefined;
}

/** One claim of a composite: the machine, and the calls to members that it asks for. */
export class CombinedClaim implements MachineWorld, HostedClaim {
  readonly key: string;
  readonly owner: string;
  readonly #host: ClaimHost;
  readonly #machine: ClaimMachine;
  #claim: Claim;
  #wake: (() => void) | undefined = undefined;
  /** Answers the call of core's that is under way. */
  #settle: ((outcome: Outcome) => void) | undefined = undefined;
  /** When that call has lasted long enough. */
  #limit: TimerEntry | undefined = undefined;
  readonly #turns = new Turns();
  readonly #inFlight: (Promise<unknown> | undefined)[];
  readonly #sessions: MemberSessions;
  /** The owners of a lease that another process took, by member. */
  #adopted: ReadonlyMap<number, string> | undefined = undefined;
  /** Members that may have, or get, a vote of such a lease under an owner not known here. */
  readonly #unknown = new Set<Member>();
  #releasing: ReleaseRound | undefined = undefined;
  /** Core gave it up. */
  #released = false;

  constructor(host: ClaimHost, claim: Claim) {
    const { members, need, fencing, traits } = host;
    const { length } = members;
    const options: MachineOptions = { members: length, need, fencing, ttl: claim.ttl, place, wake: traits.wake };
    this.#host = host;
    this.#claim = claim;
    this.#machine = new ClaimMachine(options, this);
    this.#inFlight = members.map(() => undefined);
    this.#sessions = new MemberSessions(host.signals, (member) => this.#machine.gone(member));
    this.key = claim.key;
    this.owner = claim.owner;
  }

  get held(): boolean {
    return isHeld(this.#machine.state);
  }

  get waiting(): boolean {
    return this.#machine.state.waiting;
  }

  /** Nothing is under way, and the members have nothing of it. */
  get isEmpty(): boolean {
    return this.#settle === undefined && this.#turns.free && this.#releasing?.pending !== true && this.#machine.isEmpty;
  }

  /** Ends it if no member holds it any more, and no call is under way. Gives whether it did. */
  endIfOver(): boolean {
    const now = this.now();
    const { parts } = this.#machine.state;
    const over = this.held && this.#turns.free && parts.every(({ until }) => until <= now);
    if (!over) return false;
    // Another process may hold them under these owners. A session keeps its hold until a release.
    for (const { index, provider } of this.#host.members) if (provider.traits.expiry !== 'session') this.#leave(index);
    this.surrender();
    return true;
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    this.#wake = wake ?? this.#wake;
    return this.#inTurn(async () => {
      const ready = this.#host.ready(claim.ttl);
      if (ready !== undefined) await ready;
      // Nothing may be asked for a claim after its release.
      if (this.#released) return { granted: false };
      const before = this.#claim;
      const change = changeOf(before, claim);
      this.#claim = claim;
      const startedAt = this.now();
      const attempt = (): Promise<Outcome> =>
        this.#run(() => this.#machine.attempt(wake !== undefined, this.#host.isCrowded(claim.key), change));
      let outcome = await attempt();
      // It was held, and is not any more: it asks as one that never was.
      if (outcome.kind === 'lost') outcome = await attempt();
      switch (outcome.kind) {
        case 'granted':
        case 'renewed': {
          const grant = this.#grant(outcome.until - startedAt);
          // A process that stood still in the attempt may not hold the key any more.
          const still = this.#host.ready(0);
          if (still !== undefined) await still.catch((error: unknown) => this.#giveUp(error));
          return grant;
        }
        case 'busy': {
          const { retryAfter } = outcome;
          if (retryAfter === undefined) return { granted: false };
          // No member can wake a claim without a place in a line.
          if (wake !== undefined && !this.#machine.isInLine) {
            schedule(this.#host.timers, this.now() + retryAfter, () => this.#wake?.());
          }
          return { granted: false, retryAfter };
        }
        case 'lost':
          return { granted: false };
        default:
          // What it holds, it holds as before.
          if (change !== undefined && this.held) this.#claim = before;
          throw this.#error(outcome);
      }
    });
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    return this.#inTurn(async () => {
      const { state } = this.#machine;
      if (!this.held || (token !== undefined && token < state.token)) return false;
      const change = changeOf(this.#claim, claim);
      this.#claim = claim;
      const startedAt = this.now();
      const outcome = await this.#run(() => this.#machine.renew(token, change));
      if (outcome.kind === 'renewed') return { validity: Math.max(0, outcome.until - startedAt) };
      if (outcome.kind === 'lost') return false;
      throw this.#error(outcome);
    });
  }

  /** All of one owner's releases are one: the first call has its answer. */
  release(deciding?: number): Promise<boolean> {
    this.#released = true;
    this.#wake = undefined;
    if (this.#releasing === undefined && !this.#machine.forsake()) return Promise.resolve(false);
    return this.#releasing === undefined ? this.#release(deciding).result : this.#releasing.result.then(() => false);
  }

  /** Its provider closes: what is not part of a hold goes back, and an attempt rejects. */
  close(error: LockError): void {
    this.#machine.close();
    if (!this.held) this.settle({ kind: 'refused', error });
  }

  /** Makes core ask again, if it waits. */
  wakeUp(): void {
    this.#wake?.();
  }

  /**
   * A lease that the members have already: its votes, as they know them. `known`: see the machine.
   * Gives what aborts when the lease has ended with a session.
   */
  adopt(holds: readonly MemberHold[], known?: KnownLease): AbortSignal | undefined {
    this.#adopted = new Map(holds.map(({ member, owner }) => [member, owner]));
    this.#machine.adopt(holds, known);
    for (const { member, lost } of holds) this.#sessions.follow(member, lost);
    return this.#sessions.lost;
  }

  /** A lease that was looked up in the members: others may ask them, or release it, just now. */
  adoptFound(holds: readonly MemberHold[]): void {
    this.adopt(holds);
    this.#machine.state.found = true;
    for (const member of this.#host.members) {
      if (!holds.some(({ member: index }) => index === member.index)) this.#unknown.add(member);
    }
  }

  /** Gives back all but the hold of `kept`, and forgets that. Gives it as `kept` knows it. */
  surrender(kept?: number): KeptHold | undefined {
    const hold = kept === undefined ? undefined : this.#leave(kept);
    this.release().catch(() => {});
    return hold;
  }

  /** A claim that waits in the first line, under this owner. `uncertain`: it may hold there. */
  adoptPlace(owner: string, sentAt: number, uncertain: boolean): void {
    this.#adopted = new Map([[0, owner]]);
    this.#machine.adoptPlace(sentAt, uncertain);
  }

  /** Gives back all but a place in the first line. Gives the owner that has it there. */
  surrenderPlace(): string | undefined {
    const owner = this.#machine.hasFirstPlace ? this.#ownerAt(0, this.#machine.state.parts[0]?.number ?? 0) : undefined;
    if (owner !== undefined) this.#machine.leave(0);
    this.surrender();
    return owner;
  }

  #leave(kept: number): KeptHold | undefined {
    const { number, token } = this.#machine.state.parts[kept] ?? { number: 0, token: undefined };
    if (token === undefined) return undefined;
    const lost = this.#sessions.unfollow(kept);
    this.#machine.leave(kept);
    return { owner: this.#ownerAt(kept, number), token, lost };
  }

  // What the machine asks for.

  now(): number {
    return this.#host.runtime.clock.now();
  }

  random(): number {
    return this.#host.runtime.random();
  }

  isSuspect(member: number): boolean {
    return this.#spares && this.#member(member).suspect;
  }

  takesCall(member: number): boolean {
    return !this.#spares || this.#member(member).takesCall;
  }

  nextNumber(): number {
    return this.#host.nextNumber();
  }

  floor(): bigint | undefined {
    return this.#host.floor();
  }

  send(index: number, call: MemberCall, number: number, token: bigint | undefined, brief: boolean): void {
    const member = this.#member(index);
    const { provider } = member;
    const owner = this.#ownerAt(index, number);
    // It may be another one when the answer comes.
    const ttl = brief ? place : this.#claim.ttl;
    const hear = (event: () => void): void => {
      if (this.#isCurrent(index, number)) this.#hear(event);
    };
    const ask = (): Promise<Grant | Busy | Renewal | false> => {
      if (call === 'renew') return provider.renew({ ...this.#claim, owner, ttl }, token);
      const claim = above(token, { ...this.#claim, owner, ttl });
      return call === 'ask' ? provider.tryAcquire(claim) : provider.tryAcquire(claim, () => this.#woken(index, number));
    };
    this.#inFlight[index] = timedCall(this.#host, member, call, ask, {
      silent: () => hear(() => this.#machine.silent(index)),
      answered: (answer) =>
        hear(() => {
          this.#inFlight[index] = undefined;
          const read = readAnswer(answer, call, token, ttl);
          if (read !== undefined) this.#sessions.follow(index, (answer as Grant).lost);
          // Of the process that had the lease before: this one's place comes next.
          if (call !== 'renew' && this.#unknown.delete(member) && read?.kind === 'busy') {
            freeVotes(this.#host, member, this.#claim, owner);
          }
          this.#machine.answered(index, read ?? failure(badAnswerError(provider, this.#claim)));
        }),
      failed: (error) =>
        hear(() => {
          this.#inFlight[index] = undefined;
          this.#machine.answered(index, failure(error));
        }),
    });
  }

  giveBack(index: number, part: Readonly<Part>, awaited: boolean): void {
    const member = this.#member(index);
    const inFlight = mayGetVote(part);
    this.#sessions.unfollow(index);
    const round = this.#releasing;
    // An attempt in flight may have a vote: it counts where the others are too few.
    round?.begin(member, inFlight);
    const returned = awaited && round === undefined ? this.#awaitReturn() : undefined;
    const answered = (answer: boolean | Error): void => {
      member.released(answer);
      round?.answered(member, answer);
      returned?.();
      this.#host.changed(this);
    };
    member.releases.start({
      claim: { ...this.#claim, owner: this.#ownerAt(index, part.number) },
      inFlight: inFlight ? this.#inFlight[index] : undefined,
      uncertain: part.uncertain,
      inLine: part.inLine || part.call === 'ask in line',
      lastSend: part.sentAt,
      answered,
    });
  }

  /** Gives what tells the machine, once, that a member took something back, or does not answer. */
  #awaitReturn(): () => void {
    const { timers, memberTimeout } = this.#host;
    let open = true;
    const returned = (): void => {
      if (!open) return;
      open = false;
      timers.cancel(silence);
      this.#hear(() => this.#machine.returned());
    };
    const silence = scheduleSilence(timers, this.now() + memberTimeout, returned);
    return returned;
  }

  settle(outcome: Outcome): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    if (this.#limit !== undefined) this.#host.timers.cancel(this.#limit);
    this.#limit = undefined;
    settle(outcome);
  }

  keep(until: number): void {
    schedule(this.#host.timers, until, () => this.#hear(() => this.#machine.promiseOver()));
  }

  look(): void {
    readStates(this.#host, this.key).then(
      (states) => {
        const { holders } = combineStates(this.key, states, this.#host.need);
        if (holders.some(({ owner }) => owner !== this.owner)) this.#hear(() => this.#machine.looked());
      },
      // Too few members answered.
      () => {},
    );
  }

  pause(delay: number): void {
    schedule(this.#host.timers, this.now() + delay, () => this.#machine.resumed());
  }

  lost(): void {
    const { need, members } = this.#host;
    this.#sessions.end(this.key, `fewer than ${need} of the ${members.length} members hold it`);
  }

  #hear(event: () => void): void {
    event();
    this.#host.changed(this);
  }

  #release(deciding?: number): ReleaseRound {
    const { state } = this.#machine;
    const hold = { held: this.held, ended: this.#machine.isOver, deciding };
    const round = new ReleaseRound(hold, this.#host, this.#claim);
    for (const member of this.#unknown) {
      round.unknown(member);
      freeVotes(this.#host, member, this.#claim);
    }
    this.#releasing = round;
    const wasRenewing = state.phase === 'renewing';
    this.#machine.release();
    this.settle(wasRenewing ? { kind: 'lost' } : { kind: 'busy', retryAfter: undefined });
    round.begun();
    const end = (): void => this.#host.changed(this);
    round.result.then(end, end);
    return round;
  }

  #grant(validity: number): Grant {
    const granted = { granted: true, token: this.#machine.state.token, validity: Math.max(0, validity) } as const;
    const { lost } = this.#sessions;
    return lost === undefined ? granted : { ...granted, lost };
  }

  #giveUp(error: unknown): never {
    this.surrender();
    throw error;
  }

  #error(outcome: Outcome): Error {
    if (outcome.kind === 'refused') return outcome.error as Error;
    return tooFewAnswers(this.#host, this.#machine.state.parts, this.#claim, this.#machine.isEmpty);
  }

  #woken(index: number, number: number): void {
    if (this.#isCurrent(index, number) && !this.#machine.woken(index)) this.#wake?.();
  }

  /** The part may have been given back since: what it hears then belongs to the background. */
  #isCurrent(index: number, number: number): boolean {
    return this.#machine.state.parts[index]?.number === number;
  }

  /** Where all members are needed, none can be left out, however slow it is. */
  get #spares(): boolean {
    return this.#host.need < this.#host.members.length;
  }

  #ownerAt(index: number, number: number): string {
    return number === adopted ? (this.#adopted?.get(index) ?? this.owner) : memberOwner(this.owner, number);
  }

  #member(index: number): Member {
    return this.#host.members[index] as Member;
  }

  #run(begin: () => void): Promise<Outcome> {
    const { timers, timeout } = this.#host;
    return new Promise((resolve) => {
      // V8's young generation keeps an object whose field is set to a new closure over it.
      this.#settle = resolve;
      this.#limit = scheduleSilence(timers, this.now() + timeout, () => this.#machine.expired());
      begin();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work, () => this.#host.changed(this));
  }
}

function changeOf(before: Claim, after: Claim): Change {
  if (after.mode !== before.mode) return 'mode';
  return after.ttl === before.ttl ? undefined : 'ttl';
}
