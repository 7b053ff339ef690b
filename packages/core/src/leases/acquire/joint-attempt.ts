import type { Claim, Grant, LockProvider } from '../../contract.ts';
import { isPermanent, leavesNothing } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { badAnswerError, unavailableError } from '../../errors/messages.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { tellClaim } from '../diagnostics/channels.ts';
import { isAnswer } from '../hold/answers.ts';
import type { Terms } from '../hold/terms.ts';
import type { PublicLease } from '../hold/public-lease.ts';
import type { AcquisitionHost } from './acquisition-host.ts';
import { leaseOf, termsOf, tooLateError } from './grants.ts';
import { newClaim } from './new-claim.ts';
import { PendingCall, firstAnswer } from './pending-call.ts';

interface JointHost extends AcquisitionHost {
  readonly provider: LockProvider & { readonly tryAcquireAll: NonNullable<LockProvider['tryAcquireAll']> };
}

/** Whether the provider of `host` takes several keys in one step. */
export function takesAll(host: AcquisitionHost): host is JointHost {
  return host.provider.tryAcquireAll !== undefined;
}

/**
 * One attempt to take several keys in one step. It never waits in line. What it may leave in the
 * store is given up in the background. Its result is a lease for each key. `undefined`: the caller
 * takes the keys one after another.
 */
export class JointAttempt extends PendingCall<readonly PublicLease[] | undefined, JointHost> {
  readonly #claims: readonly Claim[];
  #inFlight: Promise<unknown> | undefined = undefined;
  constructor(host: JointHost, keys: readonly string[], settings: Settings) {
    super(host, settings);
    this.#claims = keys.map((key) => newClaim(host, settings, key));
    for (const claim of this.#claims) tellClaim(host.provider.name, claim);
    if (!this.followCaller()) return;
    const { wait } = settings;
    host.waitTimers.schedule(this, wait > 0 ? this.startedAt + Math.max(wait, firstAnswer) : Infinity);
    this.#send();
  }

  /** Its caller waits no longer. */
  due(): void {
    this.fail(this.#unavailable(this.host.provider.outage?.()));
  }

  #send(): void {
    let sent: Promise<readonly Grant[] | false>;
    try {
      sent = Promise.resolve(this.host.provider.tryAcquireAll(this.#claims));
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
    if (this.over) return;
    if (grants === false) {
      this.finish();
      this.resolve(undefined);
      return;
    }
    const { provider } = this.host;
    const [first] = this.#claims as readonly [Claim];
    const all = Array.isArray(grants) && grants.length === this.#claims.length;
    if (!all || !grants.every((grant) => isAnswer(grant) && grant.granted)) {
      this.#rejected(badAnswerError(provider, first));
      return;
    }
    const terms: Terms[] = [];
    for (const [index, claim] of this.#claims.entries()) {
      const grant = grants[index] as Grant;
      const own = termsOf(this.host, this.settings, claim, grant, this.startedAt);
      if (own === undefined) {
        this.#rejected(tooLateError(this.host, this.settings, claim, grant.validity, this.startedAt));
        return;
      }
      terms.push(own);
    }
    this.finish();
    this.resolve(terms.map((own) => leaseOf(this.host, own, this.startedAt, 1)));
  }

  /**
   * Whether it took the keys is unknown. A caller that waits goes on with other claims, one after
   * another.
   */
  #rejected(error: unknown): void {
    if (this.over) return;
    const permanent = isPermanent(error);
    this.finish();
    if (!leavesNothing(error)) this.#release({ uncertain: !permanent });
    // The call for one key tells better what is refused for good.
    if (permanent || this.settings.wait > 0) this.resolve(undefined);
    else this.#giveUp(this.#unavailable(error));
  }

  protected fail(error: unknown): void {
    if (this.over) return;
    this.finish();
    if (this.#inFlight !== undefined) this.#release({ inFlight: this.#inFlight, left: false, uncertain: false });
    this.#giveUp(error);
  }

  #release(what: { readonly inFlight?: Promise<unknown>; readonly left?: boolean; readonly uncertain: boolean }): void {
    for (const claim of this.#claims) this.host.releases.start({ ...what, claim, lastSend: this.startedAt });
  }

  #giveUp(error: unknown): void {
    for (const claim of this.#claims) this.tellGiveUp(claim, error, 1);
    this.reject(error);
  }

  #unavailable(cause: unknown): LockError {
    return unavailableError(this.host.provider, this.#claims[0] as Claim, cause);
  }
}
