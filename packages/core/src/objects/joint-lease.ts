import { LockError } from '../errors/lock-error.ts';
import { LeaseView } from '../leases/hold/lease-view.ts';
import { PublicLease } from '../leases/hold/public-lease.ts';

/** Several leases as one, which is lost when one of them is. It has the names of the first. */
export class JointLease extends LeaseView {
  readonly #leases: readonly PublicLease[];
  #signal: AbortSignal | undefined = undefined;

  constructor(leases: readonly [PublicLease, ...PublicLease[]]) {
    super(leases[0]);
    this.#leases = leases;
  }

  override get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any(this.#leases.map(({ signal }) => signal));
    return this.#signal;
  }

  override get remaining(): number {
    return Math.min(...this.#leases.map(({ remaining }) => remaining));
  }

  override get held(): boolean {
    return this.#leases.every(({ held }) => held);
  }

  override get lostReason(): LockError | undefined {
    const reasons = this.#leases.flatMap((lease) => PublicLease.lostReason(lease) ?? []);
    // The signal tells of the first loss: work may throw its reason.
    return reasons.find((reason) => reason === this.#signal?.reason) ?? reasons[0];
  }

  override beginWork(): void {
    for (const lease of this.#leases) PublicLease.beginWork(lease);
  }

  override async renew(): Promise<void> {
    await settleAll(this.#leases.map((lease) => lease.renew()));
  }

  override async downgrade(): Promise<void> {
    await settleAll(this.#leases.map((lease) => lease.downgrade()));
  }

  override async handOver(): Promise<string> {
    const message = `The lease on ${JSON.stringify(this.key)} is one of several keys or permits, and cannot be handed over. Hand over leases of one key.`;
    throw new LockError('LOCK_INVALID', message, { key: this.key });
  }

  override async release(): Promise<boolean> {
    const freed = await settleAll(this.#leases.map((lease) => lease.release()));
    return freed.every(Boolean);
  }
}

/** Waits for all calls, also where one rejects, and then rejects with the first error. */
async function settleAll<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return await Promise.all(calls);
}
