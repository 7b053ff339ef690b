import type { Claim } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { channels, messageAbout } from '../diagnostics/channels.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { Closable } from '../ending/closable.ts';
import type { Linked } from '../ending/linked-set.ts';
import type { PublicLease } from '../hold/public-lease.ts';
import type { AcquisitionHost } from './acquisition-host.ts';

/**
 * The first attempt has so many ms for its answer, also where `wait` is shorter: a store is not
 * nearer because its caller waits less. With more, a silent store holds such a caller longer.
 */
export const firstAnswer = 250;

/**
 * One call of a caller. Its deadline, the caller's signal and the close of its `Locks` race the
 * attempt in flight, so the caller never waits for a silent backend.
 */
export abstract class PendingCall implements TimerEntry, AbortFollower, Closable {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
  readonly startedAt: number;
  readonly result: Promise<PublicLease | null>;
  protected readonly host: AcquisitionHost;
  protected readonly settings: Settings;
  protected resolve!: (answer: PublicLease | null | Promise<null>) => void;
  protected reject!: (error: unknown) => void;
  #over = false;

  constructor(host: AcquisitionHost, settings: Settings) {
    this.host = host;
    this.settings = settings;
    this.startedAt = host.runtime.clock.exact();
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    host.acquisitions.add(this);
  }

  /** Something that it waited for in the timer wheel may be due. */
  abstract due(now: number): void;

  /** Ends it with this error, unless it is over. */
  protected abstract fail(error: unknown): void;

  protected get over(): boolean {
    return this.#over;
  }

  /** Ends it because the signal of its caller aborted. */
  aborted(signal: AbortSignal): void {
    outsideContext(() => this.fail(signal.reason));
  }

  /** Ends it because its `Locks` is closing. */
  close(reason: LockError): void {
    outsideContext(() => this.fail(reason));
  }

  /** Hears of the caller's signal from now on. Gives whether an attempt may begin. */
  protected followCaller(): boolean {
    const { signal } = this.settings;
    if (signal?.aborted) this.aborted(signal);
    else if (signal !== undefined) this.host.signals.follow(signal, this);
    return !this.#over;
  }

  protected finish(): void {
    const { acquisitions, signals, waitTimers } = this.host;
    this.#over = true;
    acquisitions.delete(this);
    waitTimers.cancel(this);
    if (this.settings.signal !== undefined) signals.unfollow(this.settings.signal, this);
  }

  /** Diagnostics hear that it ends without a lease for `claim`. */
  protected tellGiveUp(claim: Claim, error: unknown, attempts: number): void {
    if (!channels.giveUp.hasSubscribers) return;
    const { provider, runtime } = this.host;
    const waited = Math.max(0, runtime.clock.exact() - this.startedAt);
    channels.giveUp.publish(messageAbout(provider.name, claim, { error, waited, attempts }));
  }
}
