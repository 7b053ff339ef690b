import type { Claim, Grant, Mode, Renewal } from '../../contract.ts';
import { isLockError, isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, lostError, releasedError, unconfirmedRenewal, whyLapsed } from '../../errors/messages.ts';
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
import { mustHandOver, takeTicket, ticketOf, writeHandOver } from '../hand-over/hand-over.ts';
import type { LeaseHost } from './lease-host.ts';
import type { Holding } from './public-lease.ts';
import { leftOf, restUntil, storedClaim, validityOf } from '../release/rest.ts';
import type { Rest } from '../release/rest.ts';
import { deadlineOf, grouped } from './validity.ts';

type Ending = 'released' | 'handed over' | 'lost' | 'closed';

/** What became of a lease that is not held any more. */
interface Outcome {
  readonly ending: Ending;
  readonly reason: LockError | undefined;
  releasing: Promise<boolean> | undefined;
}

/** What few leases have. Apart from the lease, as each field takes 8 bytes of every lease. */
interface Extras {
  /** Whether it is renewed without being asked. */
  readonly renew: boolean;
  readonly holdUntil: number | undefined;
  readonly rest: Rest | undefined;
  readonly session: AbortSignal | undefined;
  readonly controller: AbortController | undefined;
  /** How many renewals in succession are not confirmed, and how the last one failed. */
  readonly failures: number;
  readonly failure: LockError | undefined;
  /** The provider was asked to share the hold, and has not said that it does. */
  readonly unshared: boolean;
  /** Its `Locks` is closing, and waits for the work under it. */
  readonly closing: LockError | undefined;
}

const none: Extras = {
  renew: true,
  holdUntil: undefined,
  rest: undefined,
  session: undefined,
  controller: undefined,
  failures: 0,
  failure: undefined,
  unshared: false,
  closing: undefined,
};

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
  /** The clock's reading at the grant. Whole, as a fraction takes 16 bytes more per lease. */
  readonly #since: number;
  /** `undefined`: it is held, unless its deadline has passed unnoticed. */
  #outcome: Outcome | undefined = undefined;
  #deadline: number;
  /**
   * Rounded up: whole numbers take less memory. A release is then repeated a ms longer, without
   * harm.
   */
  #lastSend: number;
  #renewing: Promise<void> | undefined = undefined;
  /** When it was to be renewed, or else its deadline. */
  #dueAt = 0;
  #working = false;
  #extras: Extras = none;

  constructor(host: LeaseHost, terms: Terms) {
    this.#host = host;
    this.#claim = terms.claim;
    this.#token = terms.grant.token;
    this.#deadline = terms.deadline;
    this.#lastSend = Math.ceil(terms.sentAt);
    this.#since = Math.floor(terms.now);
    const { renew, holdUntil, rest } = terms;
    const session = terms.grant.lost;
    if (!renew || holdUntil !== undefined || rest !== undefined || session !== undefined) {
      this.#extras = { ...none, renew, holdUntil, rest, session };
    }
    host.leases.add(this);
    this.#plan(terms.sentAt + (terms.deadline - terms.sentAt) / 3, terms.now);
    if (session !== undefined) this.#follow(session);
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

  get ttl(): number {
    return this.#claim.ttl;
  }

  get token(): bigint {
    return this.#token;
  }

  get held(): boolean {
    return this.#outcome === undefined && this.#host.runtime.clock.exact() < this.#deadline;
  }

  get remaining(): number {
    return this.#outcome === undefined ? Math.max(0, this.#deadline - this.#host.runtime.clock.exact()) : 0;
  }

  get signal(): AbortSignal {
    this.#isHeld();
    let { controller } = this.#extras;
    if (controller === undefined) {
      controller = new AbortController();
      this.#extras = { ...this.#extras, controller };
      const reason = this.lostReason ?? this.#extras.closing;
      if (reason !== undefined) controller.abort(reason);
    }
    return controller.signal;
  }

  /** Why it ended against its holder's will; `undefined` while held and after `release`. */
  get lostReason(): LockError | undefined {
    this.#isHeld();
    return this.#outcome?.reason;
  }

  /** Its `Locks` is closing, and the work under it goes on. */
  get draining(): boolean {
    return this.#outcome === undefined && this.#extras.closing !== undefined;
  }

  beginWork(): void {
    this.#working = true;
  }

  get working(): boolean {
    return this.#working;
  }

  get since(): number {
    return this.#since;
  }

  get #rest(): Rest | undefined {
    return this.#extras.rest;
  }

  async renew(): Promise<void> {
    // A renewal with others does not tell what it came to for this one.
    while (this.#renewing !== undefined && this.#host.renewals?.isUnderWay(this.#renewing)) await this.#renewing;
    if (!this.#isHeld()) throw this.#ended();
    await this.#renew();
  }

  /** A renewal with others is sent at `sentAt`. `undefined`: this one needs none any more. */
  joinRenewal(sentAt: number, together: Promise<void>): Claim | undefined {
    if (this.#renewing !== undefined || !this.#isHeld(sentAt)) return undefined;
    this.#renewing = together;
    this.#lastSend = Math.ceil(sentAt);
    return this.#claim;
  }

  /** What a renewal with others came to. `undefined`: this one is renewed alone. */
  renewedTogether(sentAt: number, answer: unknown, error?: unknown): void {
    this.#renewing = undefined;
    try {
      if (error !== undefined) throw this.#unknown(error);
      if (answer !== undefined) this.#renewed(answer, sentAt);
      else this.renewAlone();
    } catch {
      // No caller waits for it. The lease knows.
    }
  }

  /** As the timer wheel asks. */
  renewAlone(): void {
    if (this.#renewing === undefined && this.#isHeld()) void this.#renew();
  }

  async downgrade(): Promise<void> {
    if (!this.#isHeld()) throw this.#ended();
    if (!this.#host.provider.traits.shared) throw sharingRefused(this.#host.provider, this.#claim);
    if (this.mode === 'exclusive') {
      // From now on, as the answer may get lost.
      this.#claim = { ...this.#claim, mode: 'shared' };
      this.#extras = { ...this.#extras, unshared: true };
    }
    // Calls of one owner never overlap: a renewal that is in flight asks nothing.
    while (this.#extras.unshared) {
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
    const { holdUntil, renew } = this.#extras;
    const left = holdUntil === undefined ? undefined : Math.max(0, holdUntil - now);
    const rest = this.#rest && { lockDelay: this.#rest.lockDelay, atLeast: leftOf(this.#rest, now) };
    return writeHandOver({ claim: this.#claim, token: this.#token, ...ticket, renew, left, rest });
  }

  release(): Promise<boolean> {
    const releasing = this.#outcome?.releasing;
    if (releasing !== undefined) return releasing;
    const now = this.#host.runtime.clock.exact();
    if (!this.#isHeld(now)) return Promise.resolve(false);
    const outcome = this.#end('released');
    outcome.releasing = new ReleaseCall(this.#host, this.#abandoned(true, now), this.#deadline).result;
    return outcome.releasing;
  }

  /**
   * Ends the lease because its `Locks` is closing. Work under it hears its signal first, and the
   * lease is kept until the work ends, or this is called again.
   */
  close(reason: LockError): void {
    if (this.#outcome !== undefined) return;
    if (this.#working && !this.draining) {
      this.#extras = { ...this.#extras, closing: reason };
      this.#abort(reason);
      return;
    }
    this.#end('closed', reason);
    this.#abort(reason);
    this.#giveUp();
  }

  /** Ends the lease because what carried it has ended: a session, for example. */
  aborted({ reason }: AbortSignal): void {
    if (this.#outcome !== undefined) return;
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
    if (!this.#extras.renew) return;
    const { renewals } = this.#host;
    if (renewals !== undefined && this.mode === 'exclusive' && this.#rest === undefined) renewals.add(this);
    else this.renewAlone();
  }

  /** Its rejection is handled here. A caller that wants to hear of it awaits it. */
  #renew(): Promise<void> {
    // Renewals of one owner never overlap.
    if (this.#renewing !== undefined) return this.#renewing;
    const renewed = (): void => void (this.#renewing = undefined);
    this.#renewing = this.#send();
    // `finally` would cost four promises for each renewal.
    this.#renewing.then(renewed, renewed);
    return this.#renewing;
  }

  async #send(): Promise<void> {
    const { provider, runtime } = this.#host;
    const sentAt = runtime.clock.exact();
    this.#lastSend = Math.ceil(sentAt);
    let answer: Renewal | false;
    try {
      const claim = storedClaim(this.#claim, this.#rest, sentAt);
      answer = this.#extras.unshared ? await this.#share(claim) : await provider.renew(claim);
    } catch (error) {
      if (this.#extras.unshared && isLockError(error, 'LOCK_INVALID')) throw this.#keptExclusive(error);
      throw this.#unknown(error);
    }
    this.#renewed(answer, sentAt);
  }

  /** Throws where it is not renewed. */
  #renewed(answer: unknown, sentAt: number): void {
    const { provider } = this.#host;
    if (!isRenewal(answer)) throw this.#unknown(badAnswerError(provider, this.#claim));
    this.#publishRenewal(answer !== false);
    if (this.#outcome !== undefined) throw this.#ended();
    if (answer === false) {
      this.#lose(`${provider.name} says that this owner does not hold it any more`);
      throw this.#ended();
    }
    const now = this.#host.runtime.clock.exact();
    if (!this.#isHeld(now)) throw this.#ended();
    if (this.#extras.failures > 0) this.#extras = { ...this.#extras, failures: 0, failure: undefined };
    this.#deadline = deadlineOf(sentAt, validityOf(this.#claim, this.#rest, answer), this.#extras.holdUntil);
    if (!this.#isHeld(now)) throw this.#ended();
    this.#plan(sentAt + (this.#deadline - sentAt) / 3, now);
  }

  /** Asks the provider to share the hold, which renews it, too. */
  async #share(claim: Claim): Promise<Renewal | false> {
    const { provider } = this.#host;
    const answer = await provider.tryAcquire(claim);
    if (!isAnswer(answer)) throw badAnswerError(provider, claim);
    // Another token is another hold: this one had ended at the store.
    if (!answer.granted || (answer.token !== this.#token && provider.traits.fencing !== 'none')) return false;
    this.#extras = { ...this.#extras, unshared: false };
    return answer;
  }

  /** The provider refused to share it, and changed nothing. */
  #keptExclusive(error: LockError): LockError {
    this.#claim = { ...this.#claim, mode: 'exclusive' };
    this.#extras = { ...this.#extras, unshared: false };
    if (!this.#isHeld()) return this.#ended();
    this.#plan(this.#host.runtime.clock.now());
    return error;
  }

  /** A rejected renewal proves nothing: it is tried again while the validity lasts. */
  #unknown(error: unknown): LockError {
    this.#publishRenewal(false, error);
    if (!this.#isHeld()) return this.#ended();
    const { provider, runtime } = this.#host;
    const failures = this.#extras.failures + 1;
    const permanent = isPermanent(error);
    const failure = permanent ? error : unconfirmedRenewal(provider, this.#claim, error);
    this.#extras = { ...this.#extras, failures, failure };
    this.#plan(permanent ? Infinity : runtime.clock.now() + untilRenewal(runtime, failures, this.#claim.ttl));
    return failure;
  }

  /** The next thing to do: a renewal at `renewAt`, or else the loss at the deadline. */
  #plan(renewAt: number, now: number = this.#host.runtime.clock.now()): void {
    // Within reach of maxHold another renewal could not move the deadline.
    const useful = this.#extras.renew && this.#deadline < (this.#extras.holdUntil ?? Infinity);
    const at = useful && renewAt < Infinity ? grouped(renewAt, now) : Infinity;
    this.#dueAt = Math.min(at, this.#deadline);
    this.#host.timers.schedule(this, this.#dueAt);
  }

  /**
   * Whether it is held. After a blocked event loop its timer has not run yet. The first look then
   * makes it lapse.
   */
  #isHeld(now: number = this.#host.runtime.clock.exact()): boolean {
    if (this.#outcome === undefined && now >= this.#deadline) this.#lapse();
    return this.#outcome === undefined;
  }

  #lapse(): void {
    const now = this.#host.runtime.clock.exact();
    const { holdUntil = Infinity, failures, failure } = this.#extras;
    if (now >= holdUntil) {
      this.#lose('its maxHold is over');
      return;
    }
    const asked = failures > 0 || this.#renewing !== undefined;
    const stood = now - (asked ? this.#deadline : this.#dueAt);
    const { name } = this.#host.provider;
    this.#lose(whyLapsed(name, { stood, failures, silent: asked ? now - this.#lastSend : 0 }), failure);
  }

  #lose(why: string, cause?: LockError): void {
    const reason = lostError(this.#claim, why, cause);
    this.#end('lost', reason);
    this.#abort(reason);
    if (channels.lost.hasSubscribers) {
      const message = { ...about(this.#host.provider.name, this.#claim), reason, heldFor: this.#age() };
      outsideContext(() => channels.lost.publish(message));
    }
    this.#giveUp();
  }

  #end(ending: Ending, reason?: LockError): Outcome {
    const outcome: Outcome = { ending, reason, releasing: undefined };
    if (this.draining) this.#host.drained?.(this.owner);
    this.#outcome = outcome;
    this.#host.timers.cancel(this);
    this.#host.leases.delete(this);
    if (channels.slow.hasSubscribers) this.#host.slowWaits.held(this.#claim.key, this.#age());
    const { session } = this.#extras;
    if (session !== undefined) this.#host.signals.unfollow(session, this);
    return outcome;
  }

  /**
   * Any flow that looks at the lease may find it lost. Listeners must not run in the context of
   * that flow.
   */
  #abort(reason: LockError): void {
    const { controller } = this.#extras;
    if (controller !== undefined) outsideContext(() => controller.abort(reason));
  }

  #giveUp(): void {
    this.#host.releases.start(this.#abandoned(false, this.#host.runtime.clock.now()));
  }

  /** What it leaves in the store. `clean`: its holder released it. */
  #abandoned(clean: boolean, now: number): Abandoned {
    const rest = this.#rest;
    const until = rest && restUntil(rest, now, clean);
    return {
      claim: storedClaim(this.#claim, this.#rest, this.#lastSend),
      // Behind the last renewal no other one may arrive: that would keep the key for longer.
      inFlight: until === undefined ? undefined : this.#renewing?.catch(() => {}),
      uncertain: false,
      lastSend: this.#lastSend,
      heldFor: this.#age(now),
      restUntil: until,
    };
  }

  /** Ms since the grant. */
  #age(now: number = this.#host.runtime.clock.now()): number {
    return Math.floor(now) - this.#since;
  }

  #follow(session: AbortSignal): void {
    // Not at once: the caller does not have the lease yet.
    if (session.aborted) queueMicrotask(() => this.aborted(session));
    else this.#host.signals.follow(session, this);
  }

  #ended(): LockError {
    const { ending, reason } = this.#outcome ?? {};
    return reason ?? releasedError(this.#claim, ending === 'handed over' ? ending : 'released');
  }

  #publishRenewal(renewed: boolean, error?: unknown): void {
    if (!channels.renew.hasSubscribers) return;
    const message = { ...about(this.#host.provider.name, this.#claim), renewed };
    channels.renew.publish(error === undefined ? message : { ...message, error });
  }
}
