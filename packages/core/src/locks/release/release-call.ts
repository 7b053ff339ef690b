import type { Claim, LockProvider } from '../../contract.ts';
import { isPermanent } from '../../errors/lock-error.ts';
import { unconfirmedRelease } from '../../errors/messages.ts';
import type { TimerEntry, TimerWheel } from '../../time/timer-wheel.ts';
import type { BackgroundReleases } from './background-releases.ts';
import { releaseOnce } from './release-once.ts';

/** How long a caller waits for an answer after the hold has expired, in ms. */
const grace = 1_000;

/** What a release needs from the `Locks` that made its lease. */
export interface ReleaseHost {
  readonly provider: LockProvider;
  readonly timers: TimerWheel;
  readonly releases: BackgroundReleases;
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
  readonly #claim: Claim;
  readonly #lastSend: number;
  readonly #heldFor: number | undefined;
  #overdue = false;
  #resolve!: (freed: boolean) => void;
  #reject!: (reason: Error) => void;
  readonly result: Promise<boolean>;

  /**
   * Sends it. The hold ends on the server at `deadline`; its last attempt or renewal was sent at
   * `lastSend`. `heldFor`: how long it lasted, in ms, if a listener of diagnostics wants it.
   */
  constructor(host: ReleaseHost, claim: Claim, deadline: number, lastSend: number, heldFor: number | undefined) {
    this.#host = host;
    this.#claim = claim;
    this.#lastSend = lastSend;
    this.#heldFor = heldFor;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    host.releases.begin();
    // In whole seconds, so that nearly all releases share a bucket. Few are ever due.
    host.timers.schedule(this, Math.ceil(deadline / 1_000) * 1_000);
    void releaseOnce(host.provider, claim, (answer) => this.#answered(answer), heldFor);
  }

  due(now: number): void {
    if (this.#overdue) {
      this.#reject(this.#unconfirmed(undefined));
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
      releases.start({
        claim: this.#claim,
        uncertain: false,
        lastSend: this.#lastSend,
        heldFor: this.#heldFor,
      });
      this.#reject(this.#unconfirmed(answer));
    }
    releases.end();
  }

  #unconfirmed(cause: unknown): Error {
    return unconfirmedRelease(this.#host.provider, this.#claim, cause);
  }
}
