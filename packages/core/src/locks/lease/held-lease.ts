import type { Claim, Grant, Mode, Renewal } from '../../contract.ts';
import { isLockError, isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, lostError, releasedError, unconfirmedRenewal } from '../../errors/messages.ts';
import { sharingRefused } from '../../errors/refusals.ts';
import { untilRenewal } from '../../time/backoff.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { LinkedMember } from '../ending/linked-set.ts';
import type { Abandoned } from '../release/background-releases.ts';
import { ReleaseCall } from '../release/release-call.ts';
import { isAnswer, isRenewal } from './answers.ts';
import { mustHandOver, takeTicket, ticketOf, writeHandOver } from './hand-over.ts';
import type { LeaseHost } from './lease-host.ts';
import type { Holding } from './public-lease.ts';
import { leftOf, restUntil, storedClaim, validityOf } from './rest.ts';
import type { Rest } from './rest.ts';
import { deadlineOf, grouped } from './validity.ts';

type State = 'held' | 'released' | 'handed over' | 'lost' | 'closed';

/** How a granted lease is kept. */
export interface Terms {
  readonly claim: Claim;
  readonly grant: Grant;
  /** When the winning attempt was sent. */
  readonly sentAt: number;
  /** The clock's reading at the grant. */
  readonly now: number;
  /** When the lease certainly ends, unless it is renewed. */
  readonly deadline: number;
  readonly renew: boolean;
  /**
   * The clock's reading at which the lease ends however often it is renewed. `undefined`: it has no
   * limit.
   */
  readonly holdUntil: number | undefined;
  /** `undefined`: its key does not rest. */
  readonly rest: Rest | undefined;
}

/** A granted lease: validity by the clock, renewal and loss from the timer wheel. */
export class HeldLease implements Holding, TimerEntry, AbortFollower, LinkedMember {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  setPrevious: LinkedMember | undefined = undefined;
  setNext: LinkedMember | undefined = undefined;
  readonly #host: LeaseHost;
  #claim: Claim;
  readonly #token: bigint;
  readonly #autoRenew: boolean;
  readonly #holdUntil: number | undefined;
  readonly #rest: Rest | undefined;
  readonly #session: AbortSignal | undefined;
  /** The clock's reading at the grant. Whole, as a fraction takes 16 bytes more per lease. */
  readonly #since: number;
  #state: State = 'held';
  #deadline: number;
  /**
   * Rounded up: whole numbers take less memory. A release is then repeated a ms longer, without
   * harm.
   */
  #lastSend: number;
  #failures = 0;
  #reason: LockError | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #renewing: Promise<void> | undefined = undefined;
  /** The provider was asked to share the hold, and has not said that it does. */
  #unshared = false;
  #releasing: Promise<boolean> | undefined = undefined;

  constructor(host: LeaseHost, terms: Terms) {
    this.#host = host;
    this.#claim = terms.claim;
    this.#token = terms.grant.token;
    this.#autoRenew = terms.renew;
    this.#holdUntil = terms.holdUntil;
    this.#rest = terms.rest;
    this.#deadline = terms.deadline;
    this.#lastSend = Math.ceil(terms.sentAt);
    this.#since = Math.floor(terms.now);
    host.leases.add(this);
    this.#plan(terms.sentAt + (terms.deadline - terms.sentAt) / 3, terms.now);
    this.#session = terms.grant.lost;
    if (this.#session !== undefined) this.#follow(this.#session);
  }

  get key(): string {
    return this.#claim.key;
  }

  get owner(): string {
    return this.#claim.owner;
  }

  get mode(): Mode {
    return this.#claim.mode;
  }

  get token(): bigint {
    return this.#token;
  }

  get held(): boolean {
    return this.#state === 'held' && this.#host.runtime.clock.exact() < this.#deadline;
  }

  get remaining(): number {
    return this.#state === 'held' ? Math.max(0, this.#deadline - this.#host.runtime.clock.exact()) : 0;
  }

  get signal(): AbortSignal {
    this.#isHeld();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Why it ended against its holder's will; `undefined` while held and after `release`. */
  get lostReason(): LockError | undefined {
    this.#isHeld();
    return this.#reason;
  }

  renew(): Promise<void> {
    if (!this.#isHeld()) return Promise.reject(this.#ended());
    return this.#renew();
  }

  async downgrade(): Promise<void> {
    if (!this.#isHeld()) throw this.#ended();
    if (!this.#host.provider.traits.shared) throw sharingRefused(this.#host.provider, this.#claim);
    if (this.mode === 'exclusive') {
      // From now on, as the answer may get lost.
      this.#claim = { ...this.#claim, mode: 'shared' };
      this.#unshared = true;
    }
    // Calls of one owner never overlap: a renewal that is in flight asks nothing.
    while (this.#unshared) {
      if (this.#renewing === undefined) await this.#renew();
      else await this.#renewing.catch(() => {});
      if (!this.#isHeld()) throw this.#ended();
    }
  }

  async handOver(): Promise<string> {
    if (!this.#isHeld()) throw this.#ended();
    const { provider, runtime, releases } = this.#host;
    mustHandOver(provider, this.key);
    const ticket = await takeTicket(this.#host, this.#claim);
    try {
      // The other process has a whole ttl from here.
      await this.renew();
      if (!this.#isHeld()) throw this.#ended();
    } catch (error) {
      const unused = ticketOf(this.#claim, ticket.ticket);
      releases.start({ claim: unused, uncertain: false, lastSend: runtime.clock.now() });
      throw error;
    }
    this.#end('handed over');
    const now = runtime.clock.now();
    const left = this.#holdUntil === undefined ? undefined : Math.max(0, this.#holdUntil - now);
    const rest = this.#rest && { lockDelay: this.#rest.lockDelay, atLeast: leftOf(this.#rest, now) };
    return writeHandOver({ claim: this.#claim, token: this.#token, ...ticket, renew: this.#autoRenew, left, rest });
  }

  release(): Promise<boolean> {
    if (this.#releasing !== undefined) return this.#releasing;
    if (!this.#isHeld()) return Promise.resolve(false);
    this.#end('released');
    this.#releasing = new ReleaseCall(this.#host, this.#ending(true), this.#deadline).result;
    return this.#releasing;
  }

  /** Ends the lease because its `Locks` is closing. */
  close(reason: LockError): void {
    if (this.#state !== 'held') return;
    this.#reason = reason;
    this.#end('closed');
    this.#abort(reason);
    this.#giveUp();
  }

  /** Ends the lease because what carried it has ended: a session, for example. */
  aborted({ reason }: AbortSignal): void {
    if (this.#state !== 'held') return;
    if (isLockError(reason)) this.#lose(reason.message.replace(/\.$/, ''), reason);
    else this.#lose('its session with the server has ended');
  }

  due(now: number): void {
    if (now >= this.#deadline) {
      this.#lapse();
      return;
    }
    // A renewal may still be in flight. The deadline stands until an answer moves it.
    this.#host.timers.schedule(this, this.#deadline);
    if (this.#autoRenew && this.#renewing === undefined) this.#renew().catch(() => {});
  }

  #renew(): Promise<void> {
    // Renewals of one owner never overlap.
    this.#renewing ??= this.#send().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #send(): Promise<void> {
    const { provider, runtime } = this.#host;
    const sentAt = runtime.clock.exact();
    this.#lastSend = Math.ceil(sentAt);
    let answer: Renewal | false;
    try {
      const claim = storedClaim(this.#claim, this.#rest, sentAt);
      answer = this.#unshared ? await this.#share(claim) : await provider.renew(claim);
    } catch (error) {
      if (this.#unshared && isLockError(error, 'LOCK_INVALID')) throw this.#keptExclusive(error);
      throw this.#unknown(error);
    }
    if (!isRenewal(answer)) throw this.#unknown(badAnswerError(provider, this.#claim));
    this.#publishRenewal(answer !== false);
    if (this.#state !== 'held') throw this.#ended();
    if (answer === false) {
      this.#lose(`${provider.name} says that this owner does not hold it any more`);
      throw this.#ended();
    }
    if (!this.#isHeld()) throw this.#ended();
    this.#failures = 0;
    this.#deadline = deadlineOf(sentAt, validityOf(this.#claim, this.#rest, answer.validity), this.#holdUntil);
    if (!this.#isHeld()) throw this.#ended();
    this.#plan(sentAt + (this.#deadline - sentAt) / 3);
  }

  /** Asks the provider to share the hold, which renews it, too. */
  async #share(claim: Claim): Promise<Renewal | false> {
    const { provider } = this.#host;
    const answer = await provider.tryAcquire(claim);
    if (!isAnswer(answer)) throw badAnswerError(provider, claim);
    // Another token is another hold: this one had ended at the store.
    if (!answer.granted || (answer.token !== this.#token && provider.traits.fencing !== 'none')) return false;
    this.#unshared = false;
    return answer;
  }

  /** The provider refused to share it, and changed nothing. */
  #keptExclusive(error: LockError): LockError {
    this.#claim = { ...this.#claim, mode: 'exclusive' };
    this.#unshared = false;
    if (!this.#isHeld()) return this.#ended();
    this.#plan(this.#host.runtime.clock.now());
    return error;
  }

  /** A rejected renewal proves nothing: it is tried again while the validity lasts. */
  #unknown(error: unknown): LockError {
    this.#publishRenewal(false, error);
    if (!this.#isHeld()) return this.#ended();
    this.#failures += 1;
    if (isPermanent(error)) {
      this.#plan(Infinity);
      return error;
    }
    const { provider, runtime } = this.#host;
    this.#plan(runtime.clock.now() + untilRenewal(runtime, this.#failures, this.#claim.ttl));
    return unconfirmedRenewal(provider, this.#claim, error);
  }

  /** The next thing to do: a renewal at `renewAt`, or else the loss at the deadline. */
  #plan(renewAt: number, now: number = this.#host.runtime.clock.now()): void {
    // Within reach of maxHold another renewal could not move the deadline.
    const useful = this.#autoRenew && this.#deadline < (this.#holdUntil ?? Infinity);
    const at = useful && renewAt < Infinity ? grouped(renewAt, now) : Infinity;
    this.#host.timers.schedule(this, Math.min(at, this.#deadline));
  }

  /**
   * Whether it is held. After a blocked event loop its timer has not run yet. The first look then
   * makes it lapse.
   */
  #isHeld(): boolean {
    if (this.#state === 'held' && !this.held) this.#lapse();
    return this.#state === 'held';
  }

  #lapse(): void {
    const { clock } = this.#host.runtime;
    this.#lose(
      clock.exact() >= (this.#holdUntil ?? Infinity)
        ? 'its maxHold is over'
        : 'it was not renewed before its validity ended',
    );
  }

  #lose(why: string, cause?: LockError): void {
    const reason = lostError(this.#claim, why, cause);
    this.#reason = reason;
    this.#end('lost');
    this.#abort(reason);
    if (channels.lost.hasSubscribers) {
      const message = { ...about(this.#host.provider.name, this.#claim), reason, heldFor: this.#age() };
      outsideContext(() => channels.lost.publish(message));
    }
    this.#giveUp();
  }

  #end(state: State): void {
    this.#state = state;
    this.#host.timers.cancel(this);
    this.#host.leases.delete(this);
    if (channels.slow.hasSubscribers) this.#host.slowWaits.held(this.#claim.key, this.#age());
    if (this.#session !== undefined) this.#host.signals.unfollow(this.#session, this);
  }

  /**
   * Any flow that looks at the lease may find it lost. Listeners must not run in the context of
   * that flow.
   */
  #abort(reason: LockError): void {
    const controller = this.#controller;
    if (controller !== undefined) outsideContext(() => controller.abort(reason));
  }

  #giveUp(): void {
    this.#host.releases.start(this.#ending(false));
  }

  /** What it leaves in the store. `clean`: its holder released it. */
  #ending(clean: boolean): Abandoned {
    const until = this.#rest && restUntil(this.#rest, this.#host.runtime.clock.now(), clean);
    return {
      claim: storedClaim(this.#claim, this.#rest, this.#lastSend),
      // Behind the last renewal no other one may arrive: that would keep the key for longer.
      inFlight: until === undefined ? undefined : this.#renewing?.catch(() => {}),
      uncertain: false,
      lastSend: this.#lastSend,
      heldFor: this.#heldFor(),
      restUntil: until,
    };
  }

  /** How long it lasted, in ms. `undefined`: diagnostics have no listener. */
  #heldFor(): number | undefined {
    if (!channels.release.hasSubscribers) return undefined;
    return this.#age();
  }

  /** Ms since the grant. */
  #age(): number {
    return Math.floor(this.#host.runtime.clock.now()) - this.#since;
  }

  #follow(session: AbortSignal): void {
    // Not at once: the caller does not have the lease yet.
    if (session.aborted) queueMicrotask(() => this.aborted(session));
    else this.#host.signals.follow(session, this);
  }

  #ended(): LockError {
    return this.#reason ?? releasedError(this.#claim, this.#state === 'handed over' ? this.#state : 'released');
  }

  #publishRenewal(renewed: boolean, error?: unknown): void {
    if (!channels.renew.hasSubscribers) return;
    const message = { ...about(this.#host.provider.name, this.#claim), renewed };
    channels.renew.publish(error === undefined ? message : { ...message, error });
  }
}
