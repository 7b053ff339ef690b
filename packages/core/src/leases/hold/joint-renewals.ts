import { Batches } from '../../adapter/batches.ts';
import type { Claim, LockProvider } from '../../contract.ts';
import { badAnswerError } from '../../errors/messages.ts';
import type { Clock } from '../../time/clock.ts';
import { createDeferred } from '../../time/deferred.ts';

/** A lease whose renewal is due. */
export interface DueLease {
  readonly ttl: number;
  /** Begins its renewal, sent at `sentAt`, until `together` ends. `undefined`: it needs none. */
  joinRenewal(sentAt: number, together: Promise<void>): Claim | undefined;
  /** Ends that with its answer, or with the error of all. */
  renewedTogether(sentAt: number, answer: unknown, error?: unknown): void;
  renewAlone(): void;
}

type RenewingProvider = LockProvider & { readonly renewAll: NonNullable<LockProvider['renewAll']> };

/** Renewals that are due at once are one call of the provider. */
export class JointRenewals {
  readonly #provider: RenewingProvider;
  readonly #clock: Clock;
  readonly #underWay = new Set<Promise<void>>();
  readonly #batches = new Batches<DueLease>({
    fits: ({ ttl }, batch) => ttl === batch[0]?.ttl,
    sendAlone: (lease) => lease.renewAlone(),
    send: (leases) => void this.#send(leases),
  });

  constructor(provider: RenewingProvider, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  /** Renews `lease` with others that are due. */
  add(lease: DueLease): void {
    this.#batches.add(lease);
  }

  /** Whether `renewing` is a call for several leases, without an answer yet. It never rejects. */
  isUnderWay(renewing: Promise<void>): boolean {
    return this.#underWay.has(renewing);
  }

  async #send(leases: readonly DueLease[]): Promise<void> {
    const sentAt = this.#clock.exact();
    const { promise: together, resolve: end } = createDeferred();
    const joined: DueLease[] = [];
    const claims: Claim[] = [];
    for (const lease of leases) {
      const claim = lease.joinRenewal(sentAt, together);
      if (claim === undefined) continue;
      joined.push(lease);
      claims.push(claim);
    }
    const [first] = claims;
    if (first === undefined) return;
    this.#underWay.add(together);
    let answers: readonly unknown[] = [];
    let failure: unknown;
    try {
      answers = await this.#provider.renewAll(claims);
      if (!Array.isArray(answers) || answers.length !== claims.length) failure = badAnswerError(this.#provider, first);
    } catch (error) {
      failure = error ?? new Error('rejected without a reason');
    }
    this.#underWay.delete(together);
    joined.forEach((lease, index) => lease.renewedTogether(sentAt, answers?.[index], failure));
    end();
  }
}

/** `undefined`: the provider has no call for several. */
export function renewalsOf(provider: LockProvider, clock: Clock): JointRenewals | undefined {
  return provider.renewAll === undefined ? undefined : new JointRenewals(provider as RenewingProvider, clock);
}
