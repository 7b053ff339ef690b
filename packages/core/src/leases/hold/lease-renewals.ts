import type { Claim, Mode, Renewal } from '../../contract.ts';
import { isLockError, isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, unconfirmedRenewal } from '../../errors/messages.ts';
import { untilRenewal } from '../../time/backoff.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { LossCode } from '../diagnostics/messages.ts';
import type { Rest } from '../release/rest.ts';
import { isAnswer, isRenewal } from './answers.ts';
import type { LeaseHost } from './lease-host.ts';

/** The lease that is renewed. */
export interface Renewable {
  readonly claim: Claim;
  readonly token: bigint;
  readonly rest: Rest | undefined;
  /** It has ended. A deadline that passed unnoticed is no end. */
  readonly over: boolean;
  /** Ms until it ends, if it is not renewed. */
  readonly remaining: number;
  /** Whether it is held. The first look after its deadline ends it. */
  isHeld(now?: number): boolean;
  /** Why it is not held any more. */
  ended(): LockError;
  /** A call for it is sent at `now`. Gives its claim as the store is to hear it. */
  sending(now: number): Claim;
  /** The call that was sent at `sentAt` renewed it. */
  renewed(sentAt: number, answer: Renewal, now: number): void;
  /** The next renewal is to be sent at `renewAt`, by the clock. */
  plan(renewAt: number): void;
  /** From now on it is asked for in this mode. */
  change(mode: Mode): void;
  lose(code: LossCode, why: string): void;
}

/** The renewals of one lease, which never overlap. A renewal also asks to share its hold. */
export class LeaseRenewals {
  readonly #host: LeaseHost;
  readonly #lease: Renewable;
  #inFlight: Promise<void> | undefined = undefined;
  #failures = 0;
  #failure: LockError | undefined = undefined;
  /** The provider was asked to share the hold, and has not said that it does. */
  #unshared = false;

  constructor(host: LeaseHost, lease: Renewable) {
    this.#host = host;
    this.#lease = lease;
  }

  /** The one that has no answer yet. */
  get inFlight(): Promise<void> | undefined {
    return this.#inFlight;
  }

  /** How many in succession are not confirmed. */
  get failures(): number {
    return this.#failures;
  }

  /** How the last of these failed. */
  get failure(): LockError | undefined {
    return this.#failure;
  }

  /** As a caller asks. Rejects where the lease is not renewed. */
  async renew(): Promise<void> {
    if (!this.#lease.isHeld()) throw this.#lease.ended();
    await this.#renew();
  }

  /** As the timer wheel asks. */
  due(): void {
    if (this.#inFlight === undefined && this.#lease.isHeld()) void this.#renew();
  }

  /** Resolves when the provider shares the hold. */
  async share(): Promise<void> {
    if (this.#lease.claim.mode === 'exclusive') {
      // From now on, as the answer may get lost.
      this.#lease.change('shared');
      this.#unshared = true;
    }
    // Calls of one owner never overlap: a renewal that is in flight asks nothing.
    while (this.#unshared) {
      if (this.#inFlight === undefined) await this.#renew();
      else await this.#inFlight.catch(() => {});
      if (!this.#lease.isHeld()) throw this.#lease.ended();
    }
  }

  /** Its rejection is handled here. A caller that wants to hear of it awaits it. */
  #renew(): Promise<void> {
    if (this.#inFlight !== undefined) return this.#inFlight;
    const over = (): void => void (this.#inFlight = undefined);
    this.#inFlight = this.#send();
    // `finally` would cost four promises for each renewal.
    this.#inFlight.then(over, over);
    return this.#inFlight;
  }

  async #send(): Promise<void> {
    const { provider, runtime } = this.#host;
    const sentAt = runtime.clock.exact();
    const claim = this.#lease.sending(sentAt);
    let answer: Renewal | false;
    try {
      answer = this.#unshared ? await this.#askToShare(claim) : await provider.renew(claim);
    } catch (error) {
      if (this.#unshared && isLockError(error, 'LOCK_INVALID')) throw this.#keptExclusive(error);
      throw this.#unknown(error, sentAt);
    }
    this.#answered(answer, sentAt);
  }

  /** Throws where it is not renewed. */
  #answered(answer: unknown, sentAt: number): void {
    const { provider, runtime } = this.#host;
    if (!isRenewal(answer)) throw this.#unknown(badAnswerError(provider, this.#lease.claim), sentAt);
    this.#publish(answer !== false, sentAt);
    if (this.#lease.over) throw this.#lease.ended();
    if (answer === false) {
      this.#lease.lose('not-held', `${provider.name} says that this owner does not hold it any more`);
      throw this.#lease.ended();
    }
    const now = runtime.clock.exact();
    if (!this.#lease.isHeld(now)) throw this.#lease.ended();
    this.#failures = 0;
    this.#failure = undefined;
    this.#lease.renewed(sentAt, answer, now);
    if (this.#lease.over) throw this.#lease.ended();
  }

  /** Asks the provider to share the hold, which renews it, too. */
  async #askToShare(claim: Claim): Promise<Renewal | false> {
    const { provider } = this.#host;
    const answer = await provider.tryAcquire(claim);
    if (!isAnswer(answer)) throw badAnswerError(provider, claim);
    // Another token is another hold: this one had ended at the store.
    if (!answer.granted || (answer.token !== this.#lease.token && provider.traits.fencing !== 'none')) return false;
    this.#unshared = false;
    return answer;
  }

  /** The provider refused to share it, and changed nothing. */
  #keptExclusive(error: LockError): LockError {
    this.#lease.change('exclusive');
    this.#unshared = false;
    if (!this.#lease.isHeld()) return this.#lease.ended();
    this.#lease.plan(this.#host.runtime.clock.now());
    return error;
  }

  /** A rejected renewal proves nothing: it is tried again while the validity lasts. */
  #unknown(error: unknown, sentAt: number): LockError {
    this.#publish(false, sentAt, error);
    if (!this.#lease.isHeld()) return this.#lease.ended();
    const { provider, runtime } = this.#host;
    const permanent = isPermanent(error);
    this.#failures += 1;
    this.#failure = permanent ? error : unconfirmedRenewal(provider, this.#lease.claim, error);
    this.#lease.plan(
      permanent ? Infinity : runtime.clock.now() + untilRenewal(runtime, this.#failures, this.#lease.claim.ttl),
    );
    return this.#failure;
  }

  #publish(renewed: boolean, sentAt: number, error?: unknown): void {
    if (!channels.renew.hasSubscribers) return;
    const { claim, remaining } = this.#lease;
    const took = this.#host.runtime.clock.exact() - sentAt;
    const message = { ...about(this.#host.provider.name, claim), renewed, took, remaining };
    channels.renew.publish(error === undefined ? message : { ...message, error });
  }
}
