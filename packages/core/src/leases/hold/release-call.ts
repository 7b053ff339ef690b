import { isFinal, isPermanent } from '../../errors/lock-error.ts';
import { unconfirmedRelease } from '../../errors/messages.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import type { Abandoned } from '../release/background-releases.ts';
import { releaseOnce } from '../release/release-once.ts';
import { lastTtl } from '../release/rest.ts';
import type { LeaseHost } from './lease-host.ts';

/** How long a caller waits for an answer after the hold has expired, in ms. */
const grace = 1_000;

/** The lease that is released. It stays in the timer wheel, and schedules itself there. */
export interface ReleasedLease extends TimerEntry {
  readonly host: LeaseHost;
  readonly deadline: number;
}

/**
 * The release that a holder awaits. If its effect stays unknown, the claim is released in the
 * background. After the hold has expired the answer changes nothing, so the caller waits little
 * longer.
 */
export class ReleaseCall {
  /** Whether it freed the key. After a rejection: the result of the retries. */
  outcome: Promise<boolean>;
  readonly #lease: ReleasedLease;
  readonly #ending: Abandoned;
  #resolve!: (freed: boolean) => void;
  #reject!: (reason: Error) => void;
  #state: 'sent' | 'overdue' | 'unanswered' = 'sent';

  constructor(lease: ReleasedLease, ending: Abandoned) {
    this.#lease = lease;
    this.#ending = ending;
    this.outcome = this.#promise();
    lease.host.releases.begin();
    if (ending.inFlight === undefined) this.#begin();
    else void ending.inFlight.catch(() => {}).then(() => this.#begin());
  }

  #begin(): void {
    const { restUntil } = this.#ending;
    this.#send(restUntil === undefined ? 0 : lastTtl(restUntil, this.#lease.host.runtime.clock.now()));
  }

  #send(rest: number): void {
    const { claim, heldFor = 'given up' } = this.#ending;
    void releaseOnce(this.#lease.host.provider, claim, (answer) => this.#answered(answer), heldFor, true, rest);
  }

  #promise(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** For the timer wheel. At first this is the time at which the lease was to be renewed. */
  due(now: number): void {
    const { host, deadline } = this.#lease;
    if (now < deadline) {
      host.timers.schedule(this.#lease, deadline);
    } else if (this.#state === 'sent') {
      // Counted from here: after a blocked event loop the answer may have arrived, unread.
      this.#state = 'overdue';
      host.timers.schedule(this.#lease, now + grace);
    } else {
      this.#reject(this.#unconfirmed(undefined));
      this.#state = 'unanswered';
      // The hold has expired by now.
      this.outcome = Promise.resolve(false);
    }
  }

  #answered(answer: boolean | Error): void {
    const { timers, releases } = this.#lease.host;
    timers.cancel(this.#lease);
    if (typeof answer === 'boolean') {
      this.#resolve(answer);
    } else if (isFinal(answer)) {
      this.#reject(answer);
    } else {
      this.#reject(isPermanent(answer) ? answer : this.#unconfirmed(answer));
      if (this.#state !== 'unanswered') this.outcome = this.#promise();
      // Often no caller awaits it.
      this.outcome.catch(() => {});
      releases.start({ ...this.#ending, ended: (last) => this.#ended(last) });
    }
    releases.end();
  }

  #ended(last: boolean | Error): void {
    if (typeof last === 'boolean') this.#resolve(last);
    else this.#reject(isPermanent(last) ? last : this.#unconfirmed(last));
  }

  #unconfirmed(cause: unknown): Error {
    return unconfirmedRelease(this.#lease.host.provider, this.#ending.claim, cause);
  }
}
