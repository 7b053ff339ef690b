import type { Claim, Grant, LockProvider } from '../../contract.ts';
import { isPermanent, leavesNothing } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, unavailableError } from '../../errors/messages.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { about, channels, tellClaim } from '../diagnostics/channels.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { LinkedMember } from '../ending/linked-set.ts';
import { isAnswer } from '../hold/answers.ts';
import type { Terms } from '../hold/terms.ts';
import type { PublicLease } from '../hold/public-lease.ts';
import type { AcquisitionHost } from './acquisition-host.ts';
import { leaseOf, termsOf, tooLateError } from './grants.ts';
import { newClaim } from './new-claim.ts';

interface JointHost extends AcquisitionHost {
  readonly provider: LockProvider & { readonly tryAcquireAll: NonNullable<LockProvider['tryAcquireAll']> };
}

/** Whether the provider of `host` takes several keys in one step. */
export function takesAll(host: AcquisitionHost): host is JointHost {
  return host.provider.tryAcquireAll !== undefined;
}

/**
 * One attempt to take several keys in one step. It never waits in line. Deadline, signal and close
 * race it, so its caller never waits for a silent backend. What it may leave in the store is given
 * up in the background.
 */
export class JointAttempt implements TimerEntry, AbortFollower, LinkedMember {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  setPrevious: LinkedMember | undefined = undefined;
  setNext: LinkedMember | undefined = undefined;
  readonly #host: JointHost;
  readonly #settings: Settings;
  readonly #claims: readonly Claim[];
  readonly #sentAt: number;
  #inFlight: Promise<unknown> | undefined = undefined;
  #over = false;
  #resolve!: (leases: readonly PublicLease[] | undefined) => void;
  #reject!: (error: unknown) => void;
  /** A lease for each key. `undefined`: the caller takes the keys one after another. */
  readonly result: Promise<readonly PublicLease[] | undefined>;

  constructor(host: JointHost, keys: readonly string[], settings: Settings) {
    this.#host = host;
    this.#settings = settings;
    this.#claims = keys.map((key) => newClaim(host, settings, key));
    this.#sentAt = host.runtime.clock.exact();
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    host.acquisitions.add(this);
    for (const claim of this.#claims) tellClaim(host.provider.name, claim);
    const { signal, wait } = settings;
    if (signal?.aborted) {
      this.aborted(signal);
      return;
    }
    if (signal !== undefined) host.signals.follow(signal, this);
    host.waitTimers.schedule(this, wait > 0 ? this.#sentAt + wait : Infinity);
    this.#send();
  }

  /** Ends it because the signal of its caller aborted. */
  aborted(signal: AbortSignal): void {
    outsideContext(() => this.#fail(signal.reason));
  }

  /** Ends it because its `Locks` is closing. */
  close(reason: LockError): void {
    outsideContext(() => this.#fail(reason));
  }

  /** Its caller waits no longer. */
  due(): void {
    this.#fail(this.#unavailable(this.#host.provider.outage?.()));
  }

  #send(): void {
    let sent: Promise<readonly Grant[] | false>;
    try {
      sent = Promise.resolve(this.#host.provider.tryAcquireAll(this.#claims));
    } catch (error) {
      sent = Promise.reject(error);
    }
    this.#inFlight = sent;
    sent.then(
      (grants) => this.#answered(grants),
      (error: unknown) => this.#rejected(error),
    );
  }

  #answered(grants: readonly Grant[] | false): void {
    if (this.#over) return;
    if (grants === false) {
      this.#finish();
      this.#resolve(undefined);
      return;
    }
    const { provider } = this.#host;
    const [first] = this.#claims as readonly [Claim];
    const all = Array.isArray(grants) && grants.length === this.#claims.length;
    if (!all || !grants.every((grant) => isAnswer(grant) && grant.granted)) {
      this.#rejected(badAnswerError(provider, first));
      return;
    }
    const terms: Terms[] = [];
    for (const [index, claim] of this.#claims.entries()) {
      const grant = grants[index] as Grant;
      const own = termsOf(this.#host, this.#settings, claim, grant, this.#sentAt);
      if (own === undefined) {
        this.#rejected(tooLateError(this.#host, this.#settings, claim, grant.validity, this.#sentAt));
        return;
      }
      terms.push(own);
    }
    this.#finish();
    this.#resolve(terms.map((own) => leaseOf(this.#host, own, this.#sentAt, 1)));
  }

  /**
   * Whether it took the keys is unknown. A caller that waits goes on with other claims, one after
   * another.
   */
  #rejected(error: unknown): void {
    if (this.#over) return;
    const permanent = isPermanent(error);
    this.#finish();
    if (!leavesNothing(error)) this.#release({ uncertain: !permanent });
    // The call for one key tells better what is refused for good.
    if (permanent || this.#settings.wait > 0) this.#resolve(undefined);
    else this.#giveUp(this.#unavailable(error));
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#finish();
    if (this.#inFlight !== undefined) this.#release({ inFlight: this.#inFlight, left: false, uncertain: false });
    this.#giveUp(error);
  }

  #release(what: { readonly inFlight?: Promise<unknown>; readonly left?: boolean; readonly uncertain: boolean }): void {
    for (const claim of this.#claims) this.#host.releases.start({ ...what, claim, lastSend: this.#sentAt });
  }

  #giveUp(error: unknown): void {
    if (channels.giveUp.hasSubscribers) {
      const { provider, runtime } = this.#host;
      const waited = Math.max(0, runtime.clock.exact() - this.#sentAt);
      for (const claim of this.#claims)
        channels.giveUp.publish({ ...about(provider.name, claim), error, waited, attempts: 1 });
    }
    this.#reject(error);
  }

  #finish(): void {
    this.#over = true;
    const { acquisitions, signals, waitTimers } = this.#host;
    acquisitions.delete(this);
    waitTimers.cancel(this);
    if (this.#settings.signal !== undefined) signals.unfollow(this.#settings.signal, this);
  }

  #unavailable(cause: unknown): LockError {
    return unavailableError(this.#host.provider, this.#claims[0] as Claim, cause);
  }
}
