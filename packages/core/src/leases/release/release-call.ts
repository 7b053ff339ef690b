import type { LockProvider } from '../../contract.ts';
import { isPermanent } from '../../errors/lock-error.ts';
import { unconfirmedRelease } from '../../errors/messages.ts';
import type { TimerEntry, TimerWheel } from '../../time/timer-wheel.ts';
import type { Runtime } from '../../time/runtime.ts';
import { lastTtl } from './rest.ts';
import type { Abandoned, BackgroundReleases } from './background-releases.ts';
import { releaseOnce } from './release-once.ts';

/** How long a caller waits for an answer after the hold has expired, in ms. */
const grace = 1_000;

/** What a release needs from the `Locks` that made its lease. */
export interface ReleaseHost {
  readonly provider: LockProvider;
  readonly timers: TimerWheel;
  readonly releases: BackgroundReleases;
  readonly runtime: Runtime;
}

/**
 * The release that a holder waits for. If its effect stays unknown, the claim is given up in the
 * background. After the hold has expired the answer changes nothing, so the caller waits little
 * longer.
 */
export class ReleaseCall implements TimerEntry {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  readonly #host: ReleaseHost;
  readonly #ending: Abandoned;
  #overdue = false;
  /** What its repetitions come to, where it has failed. */
  #repeated: Promise<boolean> | undefined = undefined;
  #resolve!: (freed: boolean) => void;
  #reject!: (reason: Error) => void;
  readonly #result: Promise<boolean>;

  /** Sends what ends the lease. The lease is valid until `deadline`. */
  constructor(host: ReleaseHost, ending: Abandoned, deadline: number) {
    this.#host = host;
    this.#ending = ending;
    this.#result = this.#promise();
    host.releases.begin();
    // In whole seconds, so that nearly all releases share a bucket. Few are ever due.
    host.timers.schedule(this, Math.ceil(deadline / 1_000) * 1_000);
    if (ending.restUntil === undefined) this.#send(0);
    else void this.#rest(ending.restUntil);
  }

  async #rest(until: number): Promise<void> {
    await this.#ending.inFlight;
    this.#send(lastTtl(until, this.#host.runtime.clock.now()));
  }

  #send(rest: number): void {
    const { claim, heldFor = 'given up' } = this.#ending;
    void releaseOnce(this.#host.provider, claim, (answer) => this.#answered(answer), heldFor, true, rest);
  }

  /** Whether it freed the key. After a rejection: what came of its repetitions. */
  get outcome(): Promise<boolean> {
    return this.#repeated ?? this.#result;
  }

  #promise(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  due(now: number): void {
    if (this.#overdue) {
      this.#reject(this.#unconfirmed(undefined));
      // The hold is over by now.
      this.#repeated = Promise.resolve(false);
      return;
    }
    // Counted from here: after a blocked event loop the answer may be there, unread.
    this.#overdue = true;
    this.#host.timers.schedule(this, now + grace);
  }

  #answered(answer: boolean | Error): void {
    const { timers, releases } = this.#host;
    timers.cancel(this);
    if (typeof answer === 'boolean') {
      this.#resolve(answer);
    } else if (isPermanent(answer)) {
      this.#reject(answer);
    } else {
      this.#reject(this.#unconfirmed(answer));
      this.#repeated ??= this.#promise();
      // Often no caller asks.
      this.#repeated.catch(() => {});
      releases.start({ ...this.#ending, ended: (last) => this.#ended(last) });
    }
    releases.end();
  }

  #ended(last: boolean | Error): void {
    if (typeof last === 'boolean') this.#resolve(last);
    else this.#reject(isPermanent(last) ? last : this.#unconfirmed(last));
  }

  #unconfirmed(cause: unknown): Error {
    return unconfirmedRelease(this.#host.provider, this.#ending.claim, cause);
  }
}
