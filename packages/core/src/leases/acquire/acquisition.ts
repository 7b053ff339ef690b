import type { Busy, Grant, Mode, WakeCause } from '../../contract.ts';
import { isPermanent } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, deadlockError, overloadedError } from '../../errors/messages.ts';
import { isAnswer } from '../../options/answers.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { tellGiveUp } from '../diagnostics/channels.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { Closable, Linked } from '../ending/linked-set.ts';
import { newLease } from '../hold/public-lease.ts';
import type { PublicLease } from '../hold/public-lease.ts';
import { ownHold } from '../reenter/flow.ts';
import type { AcquisitionCall, AcquisitionHost } from './acquisition-host.ts';
import { isTooShort, termsOf, tooLateError } from './grants.ts';
import { SentClaim } from './sent-claim.ts';
import { Wait } from './wait.ts';

/**
 * The least time for the answer of the first attempt, in ms, even if `wait` is shorter: the
 * distance of a store does not depend on `wait`. With more, a silent store delays such a caller
 * longer.
 */
const firstAnswer = 250;

/** `woken`: a wake came during an attempt, so its busy answer is outdated. */
type Phase = 'attempting' | 'woken' | 'waiting';

/**
 * One call of `acquire` or `tryAcquire`, from the first attempt to its lease or its end. Its
 * deadline, the caller's signal and the close of its client race the attempt, so the caller never
 * waits for a silent backend. What an attempt leaves in the store is released in the background.
 */
export class Acquisition implements TimerEntry, AbortFollower, Closable {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
  readonly result: Promise<PublicLease | null>;
  readonly #host: AcquisitionHost;
  readonly #call: AcquisitionCall;
  readonly #startedAt: number;
  readonly #deadline: number;
  #resolve!: (answer: PublicLease | null | Promise<null>) => void;
  #reject!: (error: unknown) => void;
  #phase: Phase = 'attempting';
  #sent: SentClaim;
  #attempts = 0;
  /** `undefined`: its first attempt is in progress, or was granted. */
  #wait: Wait | undefined = undefined;
  #over = false;

  constructor(host: AcquisitionHost, call: AcquisitionCall) {
    const { settings, within = settings.wait } = call;
    this.#host = host;
    this.#call = call;
    const now = host.runtime.clock.exact();
    this.#startedAt = now;
    this.#deadline = within > 0 ? now + within : Infinity;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    host.acquisitions.add(this);
    this.#sent = new SentClaim(host, settings, call.key);
    const { signal } = settings;
    if (signal?.aborted === true) {
      this.aborted(signal);
    } else {
      if (signal !== undefined) host.signals.follow(signal, this);
      this.#attempt(now);
    }
  }

  due(now: number): void {
    if (this.#over) return;
    if (now >= (this.#wait === undefined ? this.#endsAt : this.#deadline)) this.#expire();
    else if (now >= this.#endsAt) this.#fail(this.#begunWait.unavailable(this.#sent.claim));
    else if (this.#phase === 'waiting') this.#attempt();
  }

  aborted(signal: AbortSignal): void {
    outsideContext(() => this.#fail(signal.reason));
  }

  close(reason: LockError): void {
    outsideContext(() => this.#fail(reason));
  }

  readonly #onWake = (by?: WakeCause): void => {
    if (this.#over) return;
    this.#wait?.woken(this.#sent.claim, by);
    // The wake runs in another flow: of a releaser, or of the claim that opened the connection.
    if (this.#phase === 'waiting') outsideContext(() => this.#attempt());
    else if (this.#phase === 'attempting') this.#phase = 'woken';
  };

  /**
   * `sentAt` is exact, as is the age of the answer. A suspension before the send must not add to
   * it.
   */
  #attempt(sentAt: number = this.#host.runtime.clock.exact()): void {
    const { provider, waitTimers } = this.#host;
    this.#phase = 'attempting';
    this.#attempts += 1;
    const endsAt = this.#endsAt;
    if (endsAt < Infinity || this.timerNext !== undefined) waitTimers.schedule(this, endsAt);
    const inQueue = this.#call.settings.wait > 0 && (!this.#host.waiters.full || this.#wait?.counted === true);
    this.#sent.send(provider, inQueue ? this.#onWake : undefined, sentAt).then(
      (answer) => this.#answered(answer, sentAt),
      (error: unknown) => this.#rejected(error),
    );
  }

  #answered(answer: Grant | Busy, sentAt: number): void {
    if (this.#over) return;
    if (!isAnswer(answer)) this.#rejected(badAnswerError(this.#host.provider, this.#sent.claim));
    else if (answer.granted) this.#granted(answer, sentAt);
    else this.#busy(answer);
  }

  #busy(answer: Busy): void {
    this.#sent.busy();
    const waiting = this.#begunWait;
    waiting.answeredBusy(answer);
    const { wait } = this.#call.settings;
    const own = wait === Infinity && !waiting.counted ? this.#ownHold() : undefined;
    if (wait === 0) {
      this.#expire();
    } else if (own !== undefined) {
      this.#fail(deadlockError(this.#sent.claim, own));
    } else if (!waiting.counted && this.#host.waiters.full) {
      this.#fail(overloadedError(this.#sent.claim, this.#host.waiters.most));
    } else {
      waiting.begin(() => this.#sent.claim, this.#startedAt);
      if (this.#phase === 'woken') this.#attempt();
      else this.#waitFor(waiting.pause(answer.retryAfter));
    }
  }

  #granted(grant: Grant, sentAt: number): void {
    const { claim } = this.#sent;
    if (isTooShort(this.#host, this.#call.settings, claim, grant) && !this.#sent.repeated) {
      this.#sent.repeat();
      this.#attempt();
      return;
    }
    const now = this.#host.runtime.clock.exact();
    const terms = termsOf(this.#call.settings, claim, grant, sentAt, now);
    if (terms === undefined) {
      this.#handBack(grant, sentAt);
      return;
    }
    this.#finish();
    this.#resolve(newLease(this.#host, terms, now - this.#startedAt, this.#attempts));
  }

  /** A grant that is older than its validity counts as a rejection. */
  #handBack(grant: Grant, sentAt: number): void {
    const { settings } = this.#call;
    const error = tooLateError(this.#host, settings, this.#sent.claim, grant, sentAt);
    this.#sent = this.#sent.handBack(this.#host, settings);
    this.#tryAgain(error);
  }

  #rejected(error: unknown): void {
    if (this.#over) return;
    this.#sent.rejected(error);
    if (isPermanent(error)) this.#fail(error);
    else this.#tryAgain(error);
  }

  #tryAgain(error: unknown): void {
    const delay = this.#begunWait.rejected(error);
    if (delay === undefined) this.#fail(this.#begunWait.unavailable(this.#sent.claim));
    else this.#waitFor(delay);
  }

  #waitFor(delay: number): void {
    const { runtime, waitTimers } = this.#host;
    this.#phase = 'waiting';
    waitTimers.schedule(this, Math.min(runtime.clock.now() + delay, this.#endsAt));
  }

  #expire(): void {
    const wait = this.#begunWait;
    if (wait.refused) {
      this.#fail(wait.unavailable(this.#sent.claim));
      return;
    }
    if (this.#call.orNull && !wait.isOld) {
      this.#leave();
      this.#tellGiveUp(undefined);
      this.#resolve(null);
      return;
    }
    const own = this.#call.orNull ? undefined : this.#ownHold();
    const tell = (error?: LockError): void => this.#tellGiveUp(error);
    const overdue = wait.overdue({ claim: this.#sent.claim, orNull: this.#call.orNull, own, tell });
    // After the look, which would be late behind a thousand such releases.
    this.#leave();
    this.#resolve(overdue);
  }

  #ownHold(): Mode | undefined {
    const { inside, key, settings } = this.#call;
    return inside === undefined ? undefined : ownHold(inside, key, settings);
  }

  get #begunWait(): Wait {
    return (this.#wait ??= new Wait(this.#host, this.#call.settings));
  }

  /** When it ends without a lease, whatever is in progress. */
  get #endsAt(): number {
    if (this.#wait === undefined) return Math.max(this.#deadline, this.#startedAt + firstAnswer);
    return Math.min(this.#deadline, this.#wait.unavailableAt);
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#leave();
    this.#tellGiveUp(error);
    this.#reject(error);
  }

  /** Ends it immediately, without a lease. Its claim is released in the background. */
  #leave(): void {
    this.#finish();
    this.#sent.giveUp(this.#host.releases);
  }

  #finish(): void {
    const { acquisitions, signals, waitTimers } = this.#host;
    const { signal } = this.#call.settings;
    this.#over = true;
    acquisitions.delete(this);
    if (this.timerNext !== undefined) waitTimers.cancel(this);
    if (signal !== undefined) signals.unfollow(signal, this);
    this.#wait?.end();
  }

  #tellGiveUp(error: unknown): void {
    const { provider, runtime } = this.#host;
    tellGiveUp(provider.name, this.#sent.claim, error, this.#attempts, () => runtime.clock.exact() - this.#startedAt);
  }
}
