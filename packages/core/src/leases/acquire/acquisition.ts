import type { Busy, Claim, Grant, Mode } from '../../contract.ts';
import { isPermanent, leavesNothing } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, deadlockError, overloadedError } from '../../errors/messages.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { about, channels, tellClaim } from '../diagnostics/channels.ts';
import type { OwnWait } from '../diagnostics/own-waits.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { LinkedMember } from '../ending/linked-set.ts';
import { ownHold } from '../reenter/flow.ts';
import type { Frame } from '../reenter/flow.ts';
import { isAnswer } from '../hold/answers.ts';
import type { PublicLease } from '../hold/public-lease.ts';
import type { AcquisitionHost } from './acquisition-host.ts';
import { isTooShort, leaseOf, termsOf, tooLateError } from './grants.ts';
import { newClaim } from './new-claim.ts';
import { Wait } from './wait.ts';

type Phase = 'attempting' | 'waiting' | 'done';

/**
 * One call of `acquire` or `tryAcquire`, from the first attempt to its lease or its end. Deadline,
 * signal and close race the attempt in flight, so its caller never waits for a silent backend. What
 * such an attempt leaves in the store is given up in the background.
 */
export class Acquisition implements TimerEntry, AbortFollower, LinkedMember, OwnWait {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  setPrevious: LinkedMember | undefined = undefined;
  setNext: LinkedMember | undefined = undefined;
  readonly #host: AcquisitionHost;
  readonly #settings: Settings;
  readonly #orNull: boolean;
  /** What its caller's asynchronous context holds. */
  readonly #inside: Frame | undefined;
  readonly startedAt: number;
  readonly #deadline: number;
  #claim: Claim;
  #phase: Phase = 'attempting';
  #inFlight: Promise<Grant | Busy> | undefined = undefined;
  #lastSend = 0;
  /** The send before that one. */
  #sentBefore = 0;
  #attempts = 0;
  /** A wake came while an attempt was in flight: its busy answer is old already. */
  #woken = false;
  /** The claim may have a place in line, or a hold whose grant did not arrive. */
  #leaves = false;
  #inLine = false;
  #uncertain = false;
  /** A grant that had too little left was asked for again. */
  #repeated = false;
  /** `undefined`: its first attempt is under way, or was granted. */
  #wait: Wait | undefined = undefined;
  #resolve!: (lease: PublicLease | null | Promise<null>) => void;
  #reject!: (error: unknown) => void;
  readonly result: Promise<PublicLease | null>;

  /** With `orNull`, a lock that is not free in time resolves to `null` instead of rejecting. */
  constructor(host: AcquisitionHost, key: string, settings: Settings, orNull: boolean, inside?: Frame) {
    this.#host = host;
    this.#inside = inside;
    this.#settings = settings;
    this.#orNull = orNull;
    this.#claim = newClaim(host, settings, key);
    const now = host.runtime.clock.exact();
    this.startedAt = now;
    this.#deadline = settings.wait > 0 ? now + settings.wait : Infinity;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    host.acquisitions.add(this);
    tellClaim(host.provider.name, this.#claim);
    const { signal } = settings;
    if (signal?.aborted) {
      this.aborted(signal);
      return;
    }
    if (signal !== undefined) host.signals.follow(signal, this);
    this.#attempt(now);
  }

  /** The key for which it waits without a limit, as far as its caller has not said it may. */
  get endless(): string | undefined {
    const { wait, waitForSelf } = this.#settings;
    return this.#isCounted && wait === Infinity && !waitForSelf ? this.#claim.key : undefined;
  }

  /** Ends it because the signal of its caller aborted. */
  aborted(signal: AbortSignal): void {
    outsideContext(() => this.#fail(signal.reason));
  }

  /** Ends it because its `Locks` is closing. */
  close(reason: LockError): void {
    outsideContext(() => this.#fail(reason));
  }

  due(now: number): void {
    if (this.#phase === 'done') return;
    if (now >= this.#deadline) this.#expire();
    else if (now >= this.#endsAt) this.#fail(this.#begunWait.unavailable(this.#claim));
    else if (this.#phase === 'waiting') this.#attempt();
  }

  readonly #onWake = (): void => {
    // The wake runs in another flow: that of a releaser, or of the claim that opened the
    // connection.
    if (this.#phase === 'waiting') outsideContext(() => this.#attempt());
    else this.#woken = true;
  };

  /**
   * `sentAt` is exact, as the age of the answer is. A suspension before the send must not add to
   * that age.
   */
  #attempt(sentAt: number = this.#host.runtime.clock.exact()): void {
    const { provider, waitTimers } = this.#host;
    this.#phase = 'attempting';
    this.#woken = false;
    this.#attempts += 1;
    this.#sentBefore = this.#lastSend;
    this.#lastSend = sentAt;
    waitTimers.schedule(this, this.#endsAt);
    const inLine = this.#settings.wait > 0 && (this.#host.waiting < this.#host.maxWaiters || this.#isCounted);
    this.#inLine ||= inLine;
    try {
      this.#inFlight = Promise.resolve(provider.tryAcquire(this.#claim, inLine ? this.#onWake : undefined));
    } catch (error) {
      this.#inFlight = Promise.reject(error);
    }
    this.#inFlight.then(
      (answer) => this.#answered(answer, sentAt),
      (error: unknown) => this.#rejected(error),
    );
  }

  #answered(answer: Grant | Busy, sentAt: number): void {
    if (this.#phase === 'done') return;
    if (!isAnswer(answer)) {
      this.#rejected(badAnswerError(this.#host.provider, this.#claim));
      return;
    }
    this.#inFlight = undefined;
    if (answer.granted) {
      this.#granted(answer, sentAt);
      return;
    }
    const waiting = this.#begunWait;
    waiting.answeredBusy();
    this.#leaves ||= this.#inLine;
    const { wait } = this.#settings;
    const own = wait === Infinity && !waiting.counted ? this.#ownHold() : undefined;
    if (wait === 0) {
      this.#expire();
    } else if (own !== undefined) {
      this.#fail(deadlockError(this.#claim, own));
    } else if (!waiting.counted && this.#host.waiting >= this.#host.maxWaiters) {
      this.#fail(overloadedError(this.#claim, this.#host.maxWaiters));
    } else {
      waiting.begin(this, () => this.#claim, this.startedAt);
      if (this.#woken) this.#attempt();
      else this.#waitFor(waiting.pause(answer.retryAfter));
    }
  }

  #granted(grant: Grant, sentAt: number): void {
    if (!this.#repeated && isTooShort(this.#host, this.#settings, this.#claim, grant)) {
      this.#repeated = true;
      this.#leaves = true;
      this.#attempt();
      return;
    }
    const terms = termsOf(this.#host, this.#settings, this.#claim, grant, sentAt);
    if (terms === undefined) {
      this.#handBack(sentAt, grant.hold ?? grant.validity);
      return;
    }
    this.#finish();
    this.#resolve(leaseOf(this.#host, terms, this.startedAt, this.#attempts));
  }

  /**
   * A grant that is older than its validity counts as a rejection. Its claim is over, because the
   * release was sent.
   */
  #handBack(sentAt: number, validity = Infinity): void {
    const error = tooLateError(this.#host, this.#settings, this.#claim, validity, sentAt);
    this.#host.releases.start({ claim: this.#claim, uncertain: false, lastSend: sentAt });
    const { key, owner } = this.#claim;
    this.#claim = newClaim(this.#host, this.#settings, key);
    tellClaim(this.#host.provider.name, this.#claim, owner);
    this.#leaves = false;
    this.#inLine = false;
    this.#uncertain = false;
    this.#repeated = false;
    this.#tryAgain(error);
  }

  #rejected(error: unknown): void {
    if (this.#phase === 'done') return;
    this.#inFlight = undefined;
    if (leavesNothing(error)) {
      // Only an earlier attempt can have left something.
      this.#lastSend = this.#sentBefore;
    } else {
      this.#leaves = true;
      this.#uncertain ||= !isPermanent(error);
    }
    if (isPermanent(error)) this.#fail(error);
    else this.#tryAgain(error);
  }

  #tryAgain(error: unknown): void {
    const delay = this.#begunWait.rejected(error);
    if (delay === undefined) this.#fail(this.#begunWait.unavailable(this.#claim));
    else this.#waitFor(delay);
  }

  #waitFor(delay: number): void {
    const { runtime, waitTimers } = this.#host;
    this.#phase = 'waiting';
    const now = runtime.clock.now();
    waitTimers.schedule(this, Math.min(now + delay, this.#endsAt));
  }

  #expire(): void {
    const wait = this.#begunWait;
    if (!wait.busy) {
      this.#fail(wait.unavailable(this.#claim));
      return;
    }
    this.#leave();
    if (this.#orNull && !wait.isOld) {
      this.#tellGiveUp(undefined);
      this.#resolve(null);
      return;
    }
    const own = this.#orNull ? undefined : this.#ownHold();
    const tell = (error: LockError | undefined): void => this.#tellGiveUp(error);
    this.#resolve(wait.overdue({ claim: this.#claim, orNull: this.#orNull, own, tell }));
  }

  #ownHold(): Mode | undefined {
    return this.#inside === undefined ? undefined : ownHold(this.#inside, this.#claim.key, this.#settings);
  }

  get #begunWait(): Wait {
    return (this.#wait ??= new Wait(this.#host, this.#settings));
  }

  /** When it ends without a lease, whatever is under way. */
  get #endsAt(): number {
    return this.#wait === undefined ? this.#deadline : Math.min(this.#deadline, this.#wait.unavailableAt);
  }

  get #isCounted(): boolean {
    return this.#wait !== undefined && this.#wait.counted;
  }

  #fail(error: unknown): void {
    if (this.#phase === 'done') return;
    this.#leave();
    this.#tellGiveUp(error);
    this.#reject(error);
  }

  /**
   * Ends it without a lease, at once. What the claim may have in the store is given up behind it.
   */
  #leave(): void {
    this.#finish();
    if (this.#leaves || this.#inFlight !== undefined) {
      this.#host.releases.start({
        claim: this.#claim,
        inFlight: this.#inFlight,
        left: this.#leaves,
        uncertain: this.#uncertain,
        inLine: this.#inLine,
        lastSend: this.#lastSend,
      });
    }
  }

  #tellGiveUp(error: unknown): void {
    if (!channels.giveUp.hasSubscribers) return;
    const waited = Math.max(0, this.#host.runtime.clock.exact() - this.startedAt);
    const message = { ...about(this.#host.provider.name, this.#claim), error };
    channels.giveUp.publish({ ...message, waited, attempts: this.#attempts });
  }

  #finish(): void {
    this.#phase = 'done';
    this.#host.acquisitions.delete(this);
    this.#host.waitTimers.cancel(this);
    this.#wait?.end();
    const { signal } = this.#settings;
    if (signal !== undefined) this.#host.signals.unfollow(signal, this);
  }
}
