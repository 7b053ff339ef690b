import type { Busy, Claim, Grant, LockProvider, Renewal } from '@locks/core';
import { LockError, isLockError, settledWithin } from '@locks/core/adapter';
import { leavesNothing } from '@locks/core/composite';
import type { CombinedProvider } from '../combine/combined-provider.ts';
import { callMember } from '../members/member-answers.ts';
import { memberOwner } from '../members/member.ts';
import { Sessions } from '../members/sessions.ts';
import { SerialCalls } from '../serial-calls.ts';
import { heldUntil, isSame, ofBoth } from './decisions.ts';
import type { Scope } from './decisions.ts';
import type { Keeper } from './keeper.ts';
import { ends } from './phase.ts';
import type { End, Phase } from './phase.ts';

export interface MigrationHost {
  readonly both: CombinedProvider;
  /** Where locks are taken in a phase. */
  at(phase: Phase): LockProvider;
  readonly keeper: Keeper;
  /** The claim has nothing in the stores. */
  forget(claim: MigratingClaim): void;
}

/** A hold depends on the sessions of its store or stores, and of the presence. */
const [ofStore, ofPresence] = [0, 1];

/**
 * One claim of a migration, as core calls it. A lease stays in the store or stores that granted it,
 * until released. A waiting claim restarts when the phase changes.
 */
export class MigratingClaim {
  readonly owner: string;
  /** Later ones have higher numbers. */
  readonly number: number;
  /** Makes core attempt again, if it waits. */
  wake: (() => void) | undefined = undefined;
  readonly #host: MigrationHost;
  readonly #serial = new SerialCalls();
  readonly #sessions: Sessions;
  #claim: Claim;
  /** The scope of its calls. `undefined`: the stores have nothing of it. */
  #scope: Scope | undefined = undefined;
  /** The owner in the store of an end. Never reused. */
  #inner = '';
  #held = false;
  /** When the lease ends, unless renewed, in ms of the clock. */
  #until = 0;
  /** An attempt is under way. */
  #asking = false;
  /** An attempt was not answered. */
  #uncertain = false;
  #lastSend = 0;
  #over = false;

  constructor(host: MigrationHost, claim: Claim) {
    this.owner = claim.owner;
    this.number = host.both.nextNumber();
    this.#host = host;
    this.#claim = claim;
    this.#sessions = new Sessions(host.both.signals, () => this.#ended(this.#sessions.reason));
  }

  /** A lease or an attempt of it prevents the presence of `end` from ending. */
  uses(end: End): boolean {
    return this.#scope?.phase === end && (this.#asking || this.#lasts);
  }

  /** Whether its hold has ended and no call is in progress: another process may hold it by now. */
  endIfOver(): boolean {
    const over = this.#held && this.#serial.free && !this.#lasts;
    if (over) this.#follow();
    return over;
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    const calledAt = this.#now;
    this.wake = wake ?? this.wake;
    return this.#oneAfterAnother(async () => {
      const { keeper, both } = this.#host;
      await keeper.begun();
      if (!this.#lasts && !isSame(this.#scope, keeper.scope())) await this.#giveBack();
      if (this.#over) return { granted: false };
      if (this.#scope === undefined) {
        this.#scope = keeper.scope();
        this.#inner = memberOwner(this.owner, both.nextNumber());
      }
      this.#claim = claim;
      return await this.#ask(this.#scope, calledAt);
    });
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    const calledAt = this.#now;
    return this.#oneAfterAnother(async () => {
      const { keeper } = this.#host;
      keeper.read();
      const scope = this.#scope;
      if (!this.#held || scope === undefined) return false;
      this.#claim = claim;
      this.#lastSend = this.#now;
      const answer = await callMember(() => this.#store.renew(this.#named, token));
      if (answer === false) {
        this.#ended(undefined);
        return false;
      }
      const now = keeper.scope();
      const sheds = scope.phase === 'both' && now.phase !== 'both' && this.#held && !this.#over;
      const renewed = this.#extend(sheds ? now : scope, answer, calledAt);
      // Both stores keep others out until core relies on the presence alone.
      if (sheds) this.#shed(now, now.phase);
      return renewed;
    });
  }

  release(): Promise<boolean> {
    this.#over = true;
    this.wake = undefined;
    this.#host.forget(this);
    return this.#giveUp((claim) => this.#host.both.release(claim));
  }

  /** Its provider closes: others may enter the other end as soon as the presence is returned. */
  close(reason: LockError): void {
    if (this.#scope?.presence !== undefined && this.#held) this.#ended(reason);
  }

  /** It waits, and must restart. */
  get isMoved(): boolean {
    return this.wake !== undefined && !this.#held && !isSame(this.#scope, this.#host.keeper.scope());
  }

  /** Returns what the stores have of it, unless a call is in progress, which does so. */
  async giveBackIdle(): Promise<void> {
    if (this.#serial.free) await this.#giveBack();
  }

  /** A lease of another process, or of an earlier one. `inner`: its owner in the store. */
  adopt(scope: Scope, inner: string): void {
    this.#hold(scope, inner, undefined);
    this.#until = this.#now + this.#claim.ttl;
  }

  /** A missing answer costs a member timeout. */
  async #giveBack(): Promise<void> {
    const { both } = this.#host;
    const released = this.#giveUp(async (claim) => (await both.forget(claim)?.release()) ?? false);
    this.#uncertain = false;
    await settledWithin(both.runtime, both.memberTimeout, released);
  }

  /**
   * Returns what the stores have of it. A release without an answer is repeated here: core knows no
   * position in the queue by this owner, and it would become a hold.
   */
  #giveUp(inBoth: (claim: Claim) => Promise<boolean>): Promise<boolean> {
    const { both } = this.#host;
    const [scope, claim] = [this.#scope, this.#named];
    const given = { claim, uncertain: this.#uncertain, inQueue: !this.#held, lastSend: this.#lastSend };
    this.#scope = undefined;
    this.#held = false;
    this.#follow();
    if (scope === undefined) return Promise.resolve(false);
    if (scope.phase === 'both') return callMember(() => inBoth(claim));
    return new Promise((resolve, reject) => {
      const answered = (answer: boolean | Error): void => (answer instanceof Error ? reject(answer) : resolve(answer));
      both.members[ends.indexOf(scope.phase)]?.releases.start({ ...given, answered });
    });
  }

  async #ask(scope: Scope, calledAt: number): Promise<Grant | Busy> {
    this.#lastSend = this.#now;
    this.#asking = true;
    try {
      const heard = this.wake && ((): void => this.wake?.());
      const answer = await callMember(() => this.#store.tryAcquire(this.#named, heard));
      if (!answer.granted || this.#over) return answer;
      const { lost } = this.#sessions;
      this.#hold(scope, this.#inner, answer.lost);
      return { ...answer, ...this.#extend(scope, answer, calledAt), lost };
    } catch (error) {
      if (!leavesNothing(error)) this.#uncertain = true;
      throw scope.phase === 'both' ? this.#withAdvice(error) : error;
    } finally {
      this.#asking = false;
      this.#host.keeper.claimEnded();
    }
  }

  /**
   * The last answer extends the lease: under an end no longer than the presence. Core's time counts
   * from its call: otherwise a delay here would shorten an earlier promise.
   */
  #extend({ presence }: Scope, { validity, hold = validity }: Renewal, calledAt: number): Renewal {
    const { ttl } = this.#claim;
    const presentUntil = presence && this.#now + (presence.held ? presence.remaining : 0);
    this.#until = heldUntil(this.#lastSend + (validity ?? ttl), presentUntil);
    return { validity: Math.max(0, this.#until - calledAt), hold: hold ?? ttl };
  }

  /** A lease of both stores stays in the one that this process uses alone. */
  #shed(scope: Scope, end: End): void {
    const kept = this.#host.both.forget(this.#claim)?.surrender(ends.indexOf(end));
    if (kept !== undefined) this.#hold(scope, kept.owner, kept.lost);
  }

  #hold(scope: Scope, inner: string, lost: AbortSignal | undefined): void {
    this.#scope = scope;
    this.#inner = inner;
    this.#held = true;
    this.#follow(lost, scope.presence?.signal);
  }

  get #store(): LockProvider {
    return this.#host.at((this.#scope ?? ofBoth).phase);
  }

  /** As the store of its scope knows it. */
  get #named(): Claim {
    const { phase } = this.#scope ?? ofBoth;
    return phase === 'both' ? this.#claim : { ...this.#claim, owner: this.#inner };
  }

  /** The lease has ended. `reason`: set if its holder does not know yet. */
  #ended(reason: unknown): void {
    this.#held = false;
    this.#follow();
    if (reason !== undefined) this.#sessions.end(reason);
    this.#host.keeper.claimEnded();
  }

  /** Follows the end of these sessions only. */
  #follow(store?: AbortSignal, presence?: AbortSignal): void {
    for (const [which, signal] of [
      [ofStore, store],
      [ofPresence, presence],
    ] as const) {
      this.#sessions.unfollow(which);
      this.#sessions.follow(which, signal);
    }
  }

  get #lasts(): boolean {
    return this.#held && this.#now < this.#until;
  }

  get #now(): number {
    return this.#host.both.runtime.clock.now();
  }

  #withAdvice(error: unknown): unknown {
    const { advice } = this.#host.keeper;
    if (advice === undefined || !isLockError(error, 'LOCK_UNAVAILABLE')) return error;
    const { key = this.#claim.key, cause = error, sent, retryAfter } = error;
    return new LockError(error.code, `${error.message} ${advice}`, { key, cause, sent, retryAfter });
  }

  #oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
    return this.#serial.run(work, () => {
      // Without a wake nothing is left of a refused one.
      if (!this.#held && this.wake === undefined && !this.#uncertain) this.#host.forget(this);
    });
  }
}
