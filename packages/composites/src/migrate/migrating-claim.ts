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
import type { End } from './phase.ts';

/** What the claims of a migration share. */
export interface MigrationHost {
  readonly stores: Readonly<Record<End, LockProvider>>;
  readonly both: CombinedProvider;
  readonly keeper: Keeper;
  /** The claim has nothing in the stores. */
  forget(claim: MigratingClaim): void;
}

/** A hold depends on these sessions: of its store or stores, and on the presence. */
const [ofStore, ofPresence] = [0, 1];

/**
 * One claim of a migration, as core calls it. A lease stays in the store or stores where it was
 * granted, until it is released. A claim that waits begins anew when the phase changes.
 */
export class MigratingClaim {
  readonly owner: string;
  /** Later ones have higher numbers. */
  readonly number: number;
  readonly #host: MigrationHost;
  readonly #serial = new SerialCalls();
  readonly #sessions: Sessions;
  #claim: Claim;
  /** What it was asked under. `undefined`: the stores have nothing of it. */
  #scope: Scope | undefined = undefined;
  /** As the store of an end knows it. No owner comes again. */
  #inner = '';
  #wake: (() => void) | undefined = undefined;
  #held = false;
  /** When the lease ends, unless it is renewed, in ms of the clock. */
  #until = 0;
  /** Attempts under way. */
  #asking = 0;
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

  /** A lease or an attempt of it keeps the presence of `end` from going. */
  uses(end: End): boolean {
    return this.#scope?.phase === end && (this.#asking > 0 || this.#lasts);
  }

  /** Whether its hold is over and no call is under way: another process may hold it by now. */
  endIfOver(): boolean {
    const over = this.#held && this.#serial.free && !this.#lasts;
    if (over) this.#unfollow();
    return over;
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    this.#wake = wake ?? this.#wake;
    return this.#oneAfterAnother(async () => {
      const { keeper } = this.#host;
      await keeper.begun();
      if (!this.#lasts && !isSame(this.#scope, keeper.scope())) await this.giveBack();
      if (this.#over) return { granted: false };
      if (this.#scope === undefined) {
        this.#scope = keeper.scope();
        this.#inner = memberOwner(this.owner, this.#host.both.nextNumber());
      }
      this.#claim = claim;
      return await this.#ask(this.#scope);
    });
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    return this.#oneAfterAnother(async () => {
      const { keeper } = this.#host;
      keeper.read();
      const scope = this.#scope;
      if (!this.#held || scope === undefined) return false;
      this.#claim = claim;
      const sentAt = this.#now;
      this.#lastSend = sentAt;
      const answer = await callMember(() => this.#store(scope).renew(this.#named(), token));
      if (answer === false) {
        this.#ended(undefined);
        return false;
      }
      const now = keeper.scope();
      const sheds = scope.phase === 'both' && now.phase !== 'both' && this.#held && !this.#over;
      const renewed = this.#extend(sheds ? now : scope, answer, sentAt);
      // Both stores keep others out until core counts on the presence alone.
      if (sheds) this.#shed(now);
      return renewed;
    });
  }

  release(): Promise<boolean> {
    this.#over = true;
    this.#wake = undefined;
    const scope = this.#scope;
    this.#unfollow();
    this.#held = false;
    this.#host.forget(this);
    if (scope === undefined) return Promise.resolve(false);
    return callMember(() => this.#store(scope).release(this.#named()));
  }

  /** Its provider closes. */
  close(reason: LockError): void {
    if (this.#scope?.presence !== undefined && this.#held) this.#ended(reason);
  }

  /** It waits, and must begin anew. */
  get isMoved(): boolean {
    return this.#wake !== undefined && !this.#held && !isSame(this.#scope, this.#host.keeper.scope());
  }

  /** Gives back what the stores have of it, unless a call is under way: that does so. */
  async giveBackIdle(): Promise<void> {
    if (this.#serial.free && this.#scope !== undefined) await this.giveBack();
  }

  /** Makes core ask again, if it waits. */
  wakeUp(): void {
    this.#wake?.();
  }

  /** A lease of another process, or of an earlier one. `inner`: its owner in the store. */
  adopt(scope: Scope, inner: string): void {
    this.#scope = scope;
    this.#inner = inner;
    this.#held = true;
    this.#until = this.#now + this.#claim.ttl;
    if (scope.presence !== undefined) this.#sessions.follow(ofPresence, scope.presence.signal);
  }

  /** Gives back what the stores have of it. An answer that is missing costs a member timeout. */
  async giveBack(): Promise<void> {
    const { both } = this.#host;
    const [scope, claim] = [this.#scope, this.#named()];
    this.#scope = undefined;
    this.#held = false;
    this.#unfollow();
    if (scope === undefined) return;
    let released: Promise<unknown>;
    if (scope.phase === 'both') released = both.forget(claim)?.release() ?? Promise.resolve();
    else {
      const [uncertain, lastSend] = [this.#uncertain, this.#lastSend];
      released = new Promise<void>((resolve) => {
        const answered = (): void => resolve();
        const given = { claim, uncertain, inLine: true, lastSend, answered };
        both.members[ends.indexOf(scope.phase)]?.releases.start(given);
      });
    }
    this.#uncertain = false;
    await settledWithin(both.runtime, both.memberTimeout, released);
  }

  async #ask(scope: Scope): Promise<Grant | Busy> {
    const sentAt = this.#now;
    this.#lastSend = sentAt;
    this.#asking += 1;
    try {
      const heard = this.#wake && ((): void => this.#wake?.());
      const answer = await callMember(() => this.#store(scope).tryAcquire(this.#named(), heard));
      if (!answer.granted || this.#over) return answer;
      this.#held = true;
      const { lost } = this.#sessions;
      this.#sessions.follow(ofStore, answer.lost);
      this.#sessions.follow(ofPresence, scope.presence?.signal);
      return { ...answer, ...this.#extend(scope, answer, sentAt), lost };
    } catch (error) {
      if (!leavesNothing(error)) this.#uncertain = true;
      throw scope.phase === 'both' ? this.#withAdvice(error) : error;
    } finally {
      this.#asking -= 1;
      this.#host.keeper.claimEnded();
    }
  }

  /** The lease is held from now on, or longer: under an end no longer than the presence. */
  #extend({ presence }: Scope, { validity, hold = validity }: Renewal, sentAt: number): Renewal {
    const { ttl } = this.#claim;
    const presentUntil = presence && this.#now + (presence.held ? presence.remaining : 0);
    this.#until = heldUntil(sentAt + (validity ?? ttl), presentUntil);
    return { validity: Math.max(0, this.#until - sentAt), hold: hold ?? ttl };
  }

  /** A lease of both stores stays in the one that this process uses alone. */
  #shed(scope: Scope): void {
    if (scope.phase === 'both') return;
    const kept = this.#host.both.forget(this.#claim)?.surrender(ends.indexOf(scope.phase));
    if (kept === undefined) return;
    this.#scope = scope;
    this.#inner = kept.owner;
    this.#sessions.follow(ofStore, kept.lost);
    this.#sessions.follow(ofPresence, scope.presence.signal);
  }

  #store({ phase }: Scope): LockProvider {
    return phase === 'both' ? this.#host.both : this.#host.stores[phase];
  }

  /** As the store of its scope knows it. */
  #named(): Claim {
    const { phase } = this.#scope ?? ofBoth;
    return phase === 'both' ? this.#claim : { ...this.#claim, owner: this.#inner };
  }

  /** The lease is over. `reason`: its holder does not know yet. */
  #ended(reason: unknown): void {
    this.#held = false;
    this.#unfollow();
    if (reason !== undefined) this.#sessions.end(reason);
    this.#host.keeper.claimEnded();
  }

  #unfollow(): void {
    this.#sessions.unfollow(ofStore);
    this.#sessions.unfollow(ofPresence);
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
      // Without a wake nothing is left of one that heard no.
      if (!this.#held && this.#wake === undefined && !this.#uncertain) this.#host.forget(this);
    });
  }
}
