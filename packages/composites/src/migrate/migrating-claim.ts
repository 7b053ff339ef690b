import type { Busy, Claim, Grant, LockProvider, Renewal } from '@locks/core';
import { LockError, isLockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { above, leavesNothing } from '@locks/core/composite';
import type { AbortFollower, AbortFollowers, BackgroundReleases } from '@locks/core/composite';
import type { CombinedProvider } from '../combine/combined-provider.ts';
import type { MemberHold } from '../members/key-states.ts';
import { callMember } from '../members/member-answers.ts';
import { memberOwner } from '../members/member.ts';
import { countsOnEnd, heldUntil, keepsPlace, mayHold, ofBoth, renewalStep } from './decisions.ts';
import type { Scope } from './decisions.ts';
import type { PhaseKeeper } from './phase-keeper.ts';
import { ends, oppositeOf } from './phase.ts';
import type { End, Phase } from './phase.ts';
import { Turns } from '../turns.ts';

/** What all claims of a migration share. */
export interface MigrationHost {
  readonly keeper: PhaseKeeper;
  readonly stores: Readonly<Record<End, LockProvider>>;
  readonly releases: Readonly<Record<End, BackgroundReleases>>;
  /** Both stores as one. */
  readonly both: CombinedProvider;
  readonly signals: AbortFollowers;
  readonly runtime: Runtime;
  forget(claim: MigratingClaim): void;
}

/** One claim of a migration: it is taken in one store, or in both. */
export class MigratingClaim {
  readonly #host: MigrationHost;
  #claim: Claim;
  #wake: (() => void) | undefined = undefined;
  #stage: 'new' | 'waiting' | 'held' | 'over' = 'new';
  /** What its attempts are, or its lease is, taken under. */
  #scope: Scope = ofBoth;
  /** What the store of an end knows it by. */
  #owner: string | undefined = undefined;
  /** Each attempt was answered. */
  #clean = true;
  #lastSend = 0;
  #attempting = false;
  /** The lease's. */
  #token = 0n;
  /** What the store of an end has: higher than the lease's where that was carried there. */
  #tokenAt = 0n;
  /** When the lease ends, unless it is renewed, in ms of the clock. */
  #until = 0;
  /**
   * Until when core believes what it was told under an end, in ms of the clock. The other store may
   * let go of a lease before that was carried there. Until then the lease counts on the end alone.
   */
  #toldUntil = 0;
  /** Another process took it under an end, and this one has not renewed it. */
  #adopted = false;
  /** What a lease in both stores was carried from. */
  #carriedFrom: Scope | undefined = undefined;
  #lost: AbortController | undefined = undefined;
  /** Of what it is held in: aborts when the hold there has ended with a session. */
  #session: AbortSignal | undefined = undefined;
  readonly #follower: AbortFollower = { aborted: ({ reason }) => this.#gone(reason) };
  readonly #turns = new Turns();

  constructor(host: MigrationHost, claim: Claim) {
    this.#host = host;
    this.#claim = claim;
  }

  get owner(): string {
    return this.#claim.owner;
  }

  /** It keeps this process's presence from going. */
  get usesEnd(): boolean {
    return this.#countsOnEnd || (this.#scope.phase !== 'both' && this.#attempting);
  }

  /** Ends it if its hold is over, and no call is under way. Gives whether it did. */
  endIfOver(): boolean {
    const over = this.#stage === 'held' && this.#turns.free && this.#now() >= Math.max(this.#until, this.#toldUntil);
    if (!over || (this.#scope.phase === 'both' && !this.#host.both.endIfOver(this.#claim))) return false;
    // Another process may hold it under this owner, and its key may rest.
    this.#stage = 'over';
    this.#follow(undefined);
    return true;
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    this.#wake = wake ?? this.#wake;
    return this.#inTurn(async () => {
      await this.#host.keeper.begun();
      if (this.#stage === 'over') return { granted: false };
      const held = this.#stage === 'held' && this.#now() < this.#until;
      if (!held) this.#enter(this.#host.keeper.scope());
      this.#claim = claim;
      try {
        return await this.#ask(wake);
      } finally {
        this.#host.keeper.goOn();
      }
    });
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    return this.#inTurn(async () => {
      this.#host.keeper.read();
      if (this.#stage !== 'held' || (token !== undefined && token < this.#token)) return false;
      this.#claim = claim;
      const now = this.#host.keeper.scope();
      if (this.#adopted && this.#scope.phase === now.phase) this.#scope = now;
      const step = renewalStep(this.#scope.phase, now);
      if (step === 'shed' && this.#until <= this.#presentUntil) this.#shed(now);
      const { phase } = this.#scope;
      const sentAt = this.#now();
      this.#lastSend = sentAt;
      let renewed = await this.#renewIn(phase, token);
      if (renewed === false) this.#fallBack();
      // Now, or meanwhile, as the other store's session has ended.
      if (this.#scope.phase !== phase) renewed = await this.#renewIn(this.#scope.phase, token);
      if (renewed === false) {
        this.#stage = 'waiting';
        this.#follow(undefined);
        this.#host.keeper.goOn();
        return false;
      }
      if (token !== undefined && token > this.#token) this.#token = token;
      if (token !== undefined && token > this.#tokenAt) this.#tokenAt = token;
      const carries = step === 'carry' && phase !== 'both';
      // The presence that it counted on is another process's.
      const hold = renewed.validity ?? claim.ttl;
      if (carries && this.#adopted) {
        this.#until = sentAt + hold;
        await this.#carry(phase);
      }
      this.#adopted = false;
      const validity = this.#hold(sentAt, hold);
      if (carries && this.#scope.phase === phase) this.#carryBehind(phase);
      return { validity, hold };
    });
  }

  release(): Promise<boolean> {
    const begun = this.#stage !== 'new' || this.#attempting;
    const end = this.#countsOnEnd ? ends.findIndex((each) => each === this.#carriedFrom?.phase) : undefined;
    this.#stage = 'over';
    this.#wake = undefined;
    this.#follow(undefined);
    this.#host.forget(this);
    if (!begun) return Promise.resolve(false);
    const [store, claim] = this.#target(this.#scope.phase);
    if (this.#scope.phase !== 'both') return store.release(claim);
    // The other store may have let go of a lease that counts on its end.
    return this.#host.both.release(claim, end);
  }

  /** Makes core ask again, if it waits. */
  wakeUp(): void {
    if (this.#stage === 'waiting') this.#wake?.();
  }

  /** The presence of an end is over, and so is a lease that counts on it. */
  presenceLost(reason: LockError): void {
    if (this.#countsOnEnd) this.#lost?.abort(reason);
  }

  /** A lease that another process took, perhaps in another phase. */
  adopt([first, ...others]: readonly [MemberHold, ...MemberHold[]]): void {
    this.#until = this.#now() + this.#claim.ttl;
    this.#stage = 'held';
    if (others.some(({ member }) => member !== first.member)) {
      this.#host.both.adopt(this.#claim, [first, ...others]);
      return;
    }
    this.#owner = first.owner;
    this.#scope = { ...this.#host.keeper.scope(), phase: ends[first.member] ?? 'to' };
    this.#token = first.holder.token ?? 0n;
    this.#tokenAt = this.#token;
    this.#adopted = true;
  }

  /** What core was told is valid only while the presence is. */
  get #countsOnEnd(): boolean {
    const lease = { phase: this.#scope.phase, until: this.#until, toldUntil: this.#toldUntil };
    return this.#stage === 'held' && countsOnEnd(lease, this.#now());
  }

  /** Begins an attempt under `scope`: what it has under another one goes back, but its place. */
  #enter(scope: Scope): void {
    const before = this.#scope;
    this.#scope = scope;
    this.#toldUntil = 0;
    const same = before.phase === scope.phase && before.epoch === scope.epoch;
    if (same || this.#stage === 'new') return;
    const { both } = this.#host;
    const keeps = keepsPlace(before, scope, this.#clean);
    if (before.phase === 'both') {
      this.#owner = keeps ? both.surrenderPlace(this.#claim) : undefined;
      if (!keeps) both.surrender(this.#claim);
      return;
    }
    if (!keeps) this.#giveBack(before.phase);
    else if (scope.phase !== 'both') return;
    else if (this.#owner !== undefined) both.adoptPlace(this.#claim, this.#owner, this.#lastSend, !this.#clean);
    this.#owner = undefined;
  }

  async #ask(wake: (() => void) | undefined): Promise<Grant | Busy> {
    const { phase } = this.#scope;
    const { keeper } = this.#host;
    const heard = wake && ((): void => this.#wake?.());
    this.#attempting = true;
    try {
      await keeper.ready(phase);
      if (this.#isOver()) return { granted: false };
      const sentAt = this.#now();
      this.#lastSend = sentAt;
      if (phase !== 'both') this.#owner ??= this.#newOwner();
      const [store, claim] = this.#target(phase);
      const floored = above(keeper.floor(phase), claim);
      return this.#answered(await callMember(() => store.tryAcquire(floored, heard)), sentAt);
    } catch (error) {
      if (!leavesNothing(error)) {
        this.#clean = false;
        if (this.#stage === 'new') this.#stage = 'waiting';
      }
      throw phase === 'both' ? this.#withAdvice(error) : error;
    } finally {
      this.#attempting = false;
    }
  }

  #withAdvice(error: unknown): unknown {
    const { advice } = this.#host.keeper;
    if (advice === undefined || !isLockError(error, 'LOCK_UNAVAILABLE')) return error;
    const { key = this.#claim.key, cause = error, sent, retryAfter } = error;
    return new LockError(error.code, `${error.message} ${advice}`, { key, cause, sent, retryAfter });
  }

  #answered(answer: Grant | Busy, sentAt: number): Grant | Busy {
    if (this.#isOver()) return answer;
    this.#clean = true;
    if (!answer.granted) {
      // Without a wake nothing is left of it.
      this.#stage = this.#wake === undefined ? 'new' : 'waiting';
      return answer;
    }
    this.#stage = 'held';
    this.#token = answer.token;
    this.#tokenAt = answer.token;
    if (this.#lost === undefined || this.#lost.signal.aborted) this.#lost = new AbortController();
    this.#follow(answer.lost);
    const hold = answer.validity ?? this.#claim.ttl;
    return { ...answer, validity: this.#hold(sentAt, hold), hold, lost: this.#lost.signal };
  }

  /** The lease is held from now on, or longer. Gives its validity, counted from `sentAt`. */
  #hold(sentAt: number, validity: number): number {
    const { keeper } = this.#host;
    const present = mayHold(this.#scope, keeper.state, keeper.present);
    const { phase } = this.#scope;
    const sheds = renewalStep(phase, keeper.scope()) === 'shed';
    // Both stores keep the lease for as long as core was told before. So it grows no longer than
    // the presence, until it can do without the other store.
    const presentUntil = present ? Math.max(this.#presentUntil, sheds ? this.#until : 0) : sentAt;
    const until = heldUntil(sheds ? keeper.scope().phase : phase, sentAt + validity, presentUntil);
    if (phase !== 'both') this.#toldUntil = until;
    else if (until >= this.#toldUntil) this.#toldUntil = 0;
    this.#until = Math.max(until, this.#toldUntil);
    return Math.max(0, this.#until - sentAt);
  }

  /** When the presence ends, unless it is renewed, in ms of the clock. */
  get #presentUntil(): number {
    return this.#now() + this.#host.keeper.remaining;
  }

  async #renewIn(phase: Phase, token: bigint | undefined): Promise<Renewal | false> {
    const [store, claim] = this.#target(phase);
    return await callMember(() => store.renew(claim, token));
  }

  /** The lease counts on the store of the end alone from now on. `false`: it had no hold there. */
  #shed(scope: Scope): boolean {
    if (scope.phase === 'both') return true;
    const kept = this.#host.both.surrender(this.#claim, ends.indexOf(scope.phase));
    this.#owner = kept?.owner ?? this.#newOwner();
    this.#tokenAt = kept?.token ?? this.#token;
    this.#follow(kept?.lost);
    this.#scope = scope;
    return kept !== undefined;
  }

  /** A hold has ended with its session: the lease ends, unless it counts on the end alone still. */
  #gone(reason: unknown): void {
    if (!this.#fallBack()) this.#lost?.abort(reason);
  }

  /**
   * A lease that was carried has no hold in the other store any more. It goes on under its end,
   * whose hold is what core was told of. `false`: it does not count on that any more.
   */
  #fallBack(): boolean {
    const from = this.#carriedFrom;
    if (this.#scope.phase !== 'both' || from === undefined || !this.#countsOnEnd || !this.#shed(from)) return false;
    this.#until = this.#toldUntil;
    return true;
  }

  /** Takes the other store too, after core has had its answer. */
  #carryBehind(end: End): void {
    void this.#inTurn(() => this.#carry(end)).catch(() => {});
  }

  /** Rejects where the other store does not have it then. */
  async #carry(end: End): Promise<void> {
    const other = oppositeOf(end);
    const { both, keeper, releases, stores } = this.#host;
    const isNeeded = (): boolean =>
      this.#stage === 'held' &&
      this.#scope.phase === end &&
      this.#now() < this.#until &&
      renewalStep(end, keeper.scope()) === 'carry';
    if (!isNeeded()) throw this.#notCarried(end, 'the phase changes');
    const sentAt = this.#now();
    // It lasts for as long as core was told, at least.
    const ttl = Math.max(this.#claim.ttl, Math.ceil(this.#until - sentAt));
    const claim = { ...this.#claim, ttl, owner: this.#newOwner(), floor: this.#token };
    const giveBack = (uncertain: boolean): void => releases[other].start({ claim, uncertain, lastSend: sentAt });
    const answer = await callMember(() => stores[other].tryAcquire(claim)).catch((error: unknown) => {
      if (!leavesNothing(error)) giveBack(true);
      throw this.#notCarried(end, 'it gave no answer', error);
    });
    if (!answer.granted) throw this.#notCarried(end, 'another claim has it there');
    if (!isNeeded() || sentAt + (answer.validity ?? ttl) <= this.#now()) {
      giveBack(false);
      throw this.#notCarried(end, 'its answer came too late');
    }
    const holdAt = (at: End, owner: string, token: bigint, lost: AbortSignal | undefined): MemberHold => {
      return { member: ends.indexOf(at), owner, holder: { owner: this.owner, mode: claim.mode, token }, lost };
    };
    const holds = [
      holdAt(end, this.#owner ?? '', this.#tokenAt, this.#session),
      holdAt(other, claim.owner, answer.token, answer.lost),
    ];
    this.#follow(both.adopt(this.#claim, holds, { token: this.#token, promisedUntil: this.#until }));
    this.#carriedFrom = this.#scope;
    this.#scope = ofBoth;
    keeper.tell('carried', { key: claim.key });
    keeper.goOn();
  }

  #notCarried(end: End, why: string, cause?: unknown): LockError {
    const { key } = this.#claim;
    const message = `The lease on ${JSON.stringify(key)} is held in store "${end}" alone, and store "${oppositeOf(end)}" did not take it too: ${why}.`;
    return new LockError('LOCK_UNAVAILABLE', message, { key, cause });
  }

  #giveBack(end: End): void {
    if (this.#owner === undefined) return;
    this.#host.releases[end].start({
      claim: this.#target(end)[1],
      uncertain: !this.#clean,
      inLine: true,
      lastSend: this.#lastSend,
    });
    this.#clean = true;
  }

  /** Where its calls go under `phase`, and as which claim. */
  #target(phase: Phase): readonly [LockProvider, Claim] {
    const { both, stores } = this.#host;
    if (phase === 'both') return [both, this.#claim];
    return [stores[phase], above(this.#scope.floor, { ...this.#claim, owner: this.#owner ?? this.owner })];
  }

  #newOwner(): string {
    return memberOwner(this.owner, this.#host.both.nextNumber());
  }

  /** The lease ends when `signal` aborts, and with no other session. */
  #follow(signal: AbortSignal | undefined): void {
    const { signals } = this.#host;
    if (this.#session !== undefined) signals.unfollow(this.#session, this.#follower);
    this.#session = signal;
    if (signal?.aborted === true) this.#follower.aborted(signal);
    else if (signal !== undefined) signals.follow(signal, this.#follower);
  }

  #isOver(): boolean {
    return this.#stage === 'over';
  }

  #now(): number {
    return this.#host.runtime.clock.now();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(work, () => {
      if (this.#stage === 'new') this.#host.forget(this);
    });
  }
}
