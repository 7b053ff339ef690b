import type { Claim, Grant, Busy, Renewal } from '@locks/core';
import { above, badAnswerError, schedule, scheduleSilence } from '@locks/core/composite';
import type { TimerEntry } from '@locks/core/composite';
import { ClaimMachine, adopted } from './claim-machine.ts';
import type { MachineWorld, Outcome } from './claim-state.ts';
import type { ClaimHost, HostedClaim } from './claim-host.ts';
import type { MemberHold } from '../members/key-states.ts';
import { Sessions } from '../members/sessions.ts';
import { failure, readAnswer } from '../members/member-answers.ts';
import type { MemberCall } from '../members/member-answers.ts';
import { freeVotes } from './free-votes.ts';
import { lookForHolder } from './look-for-holder.ts';
import { mayGetVote } from './part.ts';
import type { Part } from './part.ts';
import { memberOwner } from '../members/member.ts';
import type { Member } from '../members/member.ts';
import { tooFewVotes } from './too-few-answers.ts';
import { timedCall } from '../members/timed-call.ts';
import type { ReleaseRound } from './release-round.ts';

/**
 * In ms: what may never be granted ends this long after its last call, like a position in the
 * queue. With less, waiting claims repeat more often. With more, one whose process dies blocks a
 * free key longer.
 */
const place = 6_000;

/** What the machine of one claim needs: calls to members, and the answer to core's call. */
export class MemberCalls implements MachineWorld {
  readonly machine: ClaimMachine;
  readonly sessions: Sessions;
  /** As last requested by core. */
  claim: Claim;
  /** The release by core. `undefined`: none yet. */
  releasing: ReleaseRound | undefined = undefined;
  /** Notifies core that another attempt is worthwhile. */
  wake: (() => void) | undefined = undefined;
  readonly #host: ClaimHost;
  readonly #of: HostedClaim;
  /** If all members are needed, none can be skipped. */
  readonly #spares: boolean;
  /** The last calls, by member. */
  readonly #sent: Promise<unknown>[] = [];
  /** Answers core's call in progress. */
  #settle: ((outcome: Outcome) => void) | undefined = undefined;
  /** The time limit of that call. */
  #limit: TimerEntry | undefined = undefined;
  /** The owners of a lease that another process took, by member. */
  #adopted: ReadonlyMap<number, string> | undefined = undefined;
  /** Members that may have, or get, a vote of such a lease under an unknown owner. */
  readonly #unknown = new Set<Member>();

  /** `of`: whose calls they are. */
  constructor(host: ClaimHost, claim: Claim, of: HostedClaim) {
    const { members, need, fencing, traits } = host;
    const { length } = members;
    this.#host = host;
    this.#of = of;
    this.#spares = need < length;
    this.claim = claim;
    this.machine = new ClaimMachine({ members: length, need, fencing, ttl: claim.ttl, place, wake: traits.wake }, this);
    this.sessions = new Sessions(host.signals, (member) => this.#hear(() => this.machine.gone(member)));
  }

  /** Runs `begin` of the machine, and resolves to the outcome. */
  run(begin: () => void): Promise<Outcome> {
    const { timers, timeout } = this.#host;
    return new Promise((resolve) => {
      // V8's young generation keeps an object whose field is set to a new closure over it.
      this.#settle = resolve;
      this.#limit = scheduleSilence(timers, this.now() + timeout, () => this.machine.expired());
      begin();
    });
  }

  /** Core gives it up: everything at the members is returned. */
  release(round: ReleaseRound): void {
    for (const member of this.#unknown) {
      round.begin(member, true);
      freeVotes(this.#host, member, this.claim, (freed) => round.answered(member, freed));
    }
    this.releasing = round;
    const wasRenewing = this.machine.state.stage === 'renewing';
    this.machine.release();
    this.settle(wasRenewing ? { kind: 'lost', renewed: false } : { kind: 'busy', retryAfter: undefined });
    round.begun();
    const changed = (): void => this.#host.changed(this.#of);
    round.result.then(changed, changed);
  }

  /**
   * A lease found in the members: others may request or release it simultaneously. Members other
   * than those of `holds` may have a vote of it, or get one.
   */
  adopt(holds: readonly MemberHold[]): void {
    this.#adopted = new Map(holds.map(({ member, owner }) => [member, owner]));
    this.machine.adopt(holds);
    for (const member of this.#host.members) if (!this.#adopted.has(member.index)) this.#unknown.add(member);
  }

  /** The owner under which the member knows the part. */
  ownerAt({ member, number }: Readonly<Part>): string {
    const { owner } = this.claim;
    return number === adopted ? (this.#adopted?.get(member) ?? owner) : memberOwner(owner, number);
  }

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

  send(part: Readonly<Part>, call: MemberCall, token: bigint | undefined): void {
    const { member: index } = part;
    const member = this.#member(index);
    const { provider } = member;
    const owner = this.ownerAt(part);
    // It may have changed when the answer comes.
    const ttl = part.brief ? place : this.claim.ttl;
    const hear = (event: () => void): void => {
      if (this.#isCurrent(part)) this.#hear(event);
    };
    const send = (): Promise<Grant | Busy | Renewal | false> => {
      if (call === 'renew') return provider.renew(claimAs(owner, this.claim, ttl), token);
      const claim = claimAs(owner, this.claim, ttl, token);
      return call === 'ask' ? provider.tryAcquire(claim) : provider.tryAcquire(claim, () => this.#woken(part));
    };
    const admitted = this.#host.admit(member);
    const ask = admitted === undefined ? send : (): ReturnType<typeof send> => admitted.then(send);
    const silent = (): void => hear(() => this.machine.silent(index));
    const answered = (answer: Grant | Busy | Renewal | false): void =>
      hear(() => {
        const read = readAnswer(answer, call, token, ttl);
        if (read !== undefined) this.sessions.follow(index, (answer as Grant).lost);
        // It belongs to the process that had the lease before: this one's position comes next.
        if (call !== 'renew' && this.#unknown.delete(member) && read?.kind === 'busy') {
          freeVotes(this.#host, member, this.claim, () => {}, owner);
        }
        this.machine.answered(index, read ?? failure(badAnswerError(provider, this.claim)));
      });
    const failed = (error: unknown): void => hear(() => this.machine.answered(index, failure(error)));
    this.#sent[index] = timedCall(this.#host, member, call, ask, { silent, answered, failed });
  }

  giveBack(part: Readonly<Part>, awaited: boolean): void {
    const { member: index } = part;
    const member = this.#member(index);
    const inFlight = mayGetVote(part);
    this.sessions.unfollow(index);
    const round = this.releasing;
    // An attempt in flight may have a vote: it counts if the others are too few.
    round?.begin(member, inFlight);
    const awaits = awaited && round === undefined;
    const returned = (): void => this.#hear(() => this.machine.returned());
    const { silences } = this.#host;
    const wait = awaits ? silences.begin(returned) : undefined;
    const answered = (answer: boolean | Error): void => {
      member.released(answer);
      round?.answered(member, answer);
      if (wait !== undefined && silences.end(wait)) returned();
    };
    member.releases.start({
      claim: claimAs(this.ownerAt(part), this.claim),
      inFlight: inFlight ? this.#sent[index] : undefined,
      uncertain: part.uncertain,
      inQueue: part.inQueue || part.call === 'ask in the queue',
      lastSend: part.sentAt,
      answered,
    });
  }

  settle(outcome: Outcome): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    if (this.#limit !== undefined) this.#host.timers.cancel(this.#limit);
    this.#settle = undefined;
    this.#limit = undefined;
    settle(outcome);
  }

  keep(until: number): void {
    schedule(this.#host.timers, until, () => this.#hear(() => this.machine.promiseOver()));
  }

  look(): void {
    const { machine } = this;
    const found = (): void => this.#hear(() => machine.looked());
    void lookForHolder(this.#host, this.claim, () => machine.state.waiting, found);
  }

  pause(delay: number): void {
    schedule(this.#host.timers, this.now() + delay, () => this.machine.resumed());
  }

  lost(): void {
    this.sessions.end(tooFewVotes(this.#host, this.claim, this.sessions));
  }

  #hear(event: () => void): void {
    event();
    this.#host.changed(this.#of);
  }

  #woken(part: Readonly<Part>): void {
    if (this.#isCurrent(part) && !this.machine.woken(part.member)) this.wake?.();
  }

  /** The part may have been returned: later answers then belong to the background. */
  #isCurrent(part: Readonly<Part>): boolean {
    return this.machine.part(part.member) === part;
  }

  #member(index: number): Member {
    return this.#host.members[index] as Member;
  }
}

/** `claim` under another owner. The usual one is created in one piece: see ADR 17. */
function claimAs(owner: string, claim: Claim, ttl: number = claim.ttl, floor?: bigint): Claim {
  const { key, mode } = claim;
  const usual = claim.permits === undefined && claim.lease === undefined && claim.floor === undefined;
  if (!usual) return above(floor, { ...claim, owner, ttl });
  return floor === undefined || floor === 0n ? { key, owner, ttl, mode } : { key, owner, ttl, mode, floor };
}
