import type { Busy, Grant, Mode } from '../../contract.ts';
import { isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, deadlockError, overloadedError } from '../../errors/messages.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { outsideContext } from '../../time/outside-context.ts';
import { tellClaim } from '../diagnostics/channels.ts';
import { ownHold } from '../reenter/flow.ts';
import type { Frame } from '../reenter/flow.ts';
import { isAnswer } from '../hold/answers.ts';
import type { AcquisitionHost } from './acquisition-host.ts';
import { isTooShort, leaseOf, termsOf, tooLateError } from './grants.ts';
import { newClaim } from './new-claim.ts';
import { PendingCall, firstAnswer } from './pending-call.ts';
import { SentClaim } from './sent-claim.ts';
import { Wait } from './wait.ts';

/**
 * `woken`: a wake came while an attempt is in flight, so its busy answer is old already. `waiting`:
 * for the next attempt.
 */
type Phase = 'attempting' | 'woken' | 'waiting';

/** What few acquisitions have. */
export interface AcquisitionParts {
  /** What its caller's asynchronous context holds. */
  readonly inside?: Frame | undefined;
  /** How long it may take, in ms, where it does not wait. @default its `wait` */
  readonly within?: number;
}

/**
 * One call of `acquire` or `tryAcquire`, from the first attempt to its lease or its end. What an
 * attempt leaves in the store is given up in the background.
 */
export class Acquisition extends PendingCall {
  readonly #orNull: boolean;
  /** What its caller's asynchronous context holds. */
  readonly #inside: Frame | undefined;
  readonly #deadline: number;
  #phase: Phase = 'attempting';
  #sent: SentClaim;
  #attempts = 0;
  /** `undefined`: its first attempt is under way, or was granted. */
  #wait: Wait | undefined = undefined;

  /** With `orNull`, a lock that is not free in time resolves to `null` instead of rejecting. */
  constructor(
    host: AcquisitionHost,
    key: string,
    settings: Settings,
    orNull: boolean,
    { inside, within = settings.wait }: AcquisitionParts = {},
  ) {
    super(host, settings);
    this.#inside = inside;
    this.#orNull = orNull;
    this.#sent = new SentClaim(newClaim(host, settings, key));
    this.#deadline = within > 0 ? this.startedAt + within : Infinity;
    tellClaim(host.provider.name, this.#sent.claim);
    if (this.followCaller()) this.#attempt(this.startedAt);
  }

  due(now: number): void {
    if (this.over) return;
    if (now >= this.#waitEnds) this.#expire();
    else if (now >= this.#endsAt) this.fail(this.#begunWait.unavailable(this.#sent.claim));
    else if (this.#phase === 'waiting') this.#attempt();
  }

  readonly #onWake = (): void => {
    if (this.over) return;
    // The wake runs in another flow: that of a releaser, or of the claim that opened the
    // connection.
    if (this.#phase === 'waiting') outsideContext(() => this.#attempt());
    else if (this.#phase === 'attempting') this.#phase = 'woken';
  };

  /**
   * `sentAt` is exact, as the age of the answer is. A suspension before the send must not add to
   * that age.
   */
  #attempt(sentAt: number = this.host.runtime.clock.exact()): void {
    const { provider, waitTimers } = this.host;
    this.#phase = 'attempting';
    this.#attempts += 1;
    waitTimers.schedule(this, this.#endsAt);
    const inLine = this.settings.wait > 0 && (this.host.waiting < this.host.maxWaiters || this.#isCounted);
    this.#sent.send(provider, inLine ? this.#onWake : undefined, sentAt).then(
      (answer) => this.#answered(answer, sentAt),
      (error: unknown) => this.#rejected(error),
    );
  }

  #answered(answer: Grant | Busy, sentAt: number): void {
    if (this.over) return;
    if (!isAnswer(answer)) {
      this.#rejected(badAnswerError(this.host.provider, this.#sent.claim));
      return;
    }
    this.#sent.answered(answer);
    if (answer.granted) {
      this.#granted(answer, sentAt);
      return;
    }
    const waiting = this.#begunWait;
    waiting.answeredBusy();
    const { wait } = this.settings;
    const own = wait === Infinity && !waiting.counted ? this.#ownHold() : undefined;
    if (wait === 0) {
      this.#expire();
    } else if (own !== undefined) {
      this.fail(deadlockError(this.#sent.claim, own));
    } else if (!waiting.counted && this.host.waiting >= this.host.maxWaiters) {
      this.fail(overloadedError(this.#sent.claim, this.host.maxWaiters));
    } else {
      waiting.begin(() => this.#sent.claim, this.startedAt);
      if (this.#phase === 'woken') this.#attempt();
      else this.#waitFor(waiting.pause(answer.retryAfter));
    }
  }

  #granted(grant: Grant, sentAt: number): void {
    const { claim, repeated } = this.#sent;
    if (!repeated && isTooShort(this.host, this.settings, claim, grant)) {
      this.#sent.repeat();
      this.#attempt();
      return;
    }
    const terms = termsOf(this.host, this.settings, claim, grant, sentAt);
    if (terms === undefined) {
      this.#handBack(sentAt, grant.hold ?? grant.validity);
      return;
    }
    this.finish();
    this.resolve(leaseOf(this.host, terms, this.startedAt, this.#attempts));
  }

  /**
   * A grant that is older than its validity counts as a rejection. Its claim is over, because the
   * release was sent.
   */
  #handBack(sentAt: number, validity = Infinity): void {
    const { claim } = this.#sent;
    const error = tooLateError(this.host, this.settings, claim, validity, sentAt);
    this.#sent.handBack(this.host.releases);
    this.#sent = new SentClaim(newClaim(this.host, this.settings, claim.key));
    tellClaim(this.host.provider.name, this.#sent.claim, claim.owner);
    this.#tryAgain(error);
  }

  #rejected(error: unknown): void {
    if (this.over) return;
    this.#sent.rejected(error);
    if (isPermanent(error)) this.fail(error);
    else this.#tryAgain(error);
  }

  #tryAgain(error: unknown): void {
    const delay = this.#begunWait.rejected(error);
    if (delay === undefined) this.fail(this.#begunWait.unavailable(this.#sent.claim));
    else this.#waitFor(delay);
  }

  #waitFor(delay: number): void {
    const { runtime, waitTimers } = this.host;
    this.#phase = 'waiting';
    const now = runtime.clock.now();
    waitTimers.schedule(this, Math.min(now + delay, this.#endsAt));
  }

  #expire(): void {
    const wait = this.#begunWait;
    if (wait.refused) {
      this.fail(wait.unavailable(this.#sent.claim));
      return;
    }
    if (this.#orNull && !wait.isOld) {
      this.#leave();
      this.tellGiveUp(this.#sent.claim, undefined, this.#attempts);
      this.resolve(null);
      return;
    }
    const own = this.#orNull ? undefined : this.#ownHold();
    const tell = (error: LockError | undefined): void => this.tellGiveUp(this.#sent.claim, error, this.#attempts);
    const overdue = wait.overdue({ claim: this.#sent.claim, orNull: this.#orNull, own, tell });
    // Behind the look: with a thousand such releases before it, that is not answered in time.
    this.#leave();
    this.resolve(overdue);
  }

  #ownHold(): Mode | undefined {
    return this.#inside === undefined ? undefined : ownHold(this.#inside, this.#sent.claim.key, this.settings);
  }

  get #begunWait(): Wait {
    return (this.#wait ??= new Wait(this.host, this.settings));
  }

  /** When it ends without a lease, whatever is under way. */
  get #endsAt(): number {
    return this.#wait === undefined ? this.#waitEnds : Math.min(this.#waitEnds, this.#wait.unavailableAt);
  }

  get #waitEnds(): number {
    return this.#wait === undefined ? Math.max(this.#deadline, this.startedAt + firstAnswer) : this.#deadline;
  }

  get #isCounted(): boolean {
    return this.#wait !== undefined && this.#wait.counted;
  }

  protected fail(error: unknown): void {
    if (this.over) return;
    this.#leave();
    this.tellGiveUp(this.#sent.claim, error, this.#attempts);
    this.reject(error);
  }

  /**
   * Ends it without a lease, at once. What the claim may have in the store is given up behind it.
   */
  #leave(): void {
    this.finish();
    this.#sent.giveUp(this.host.releases);
  }

  protected override finish(): void {
    super.finish();
    this.#wait?.end();
  }
}
