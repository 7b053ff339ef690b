import { LockError } from '../errors/lock-error.ts';
import type { EndOfWork, UnderWork } from '../leases/hold/lease-state.ts';
import { PublicLease } from '../leases/hold/public-lease.ts';

/** Several leases, as one for work. */
class Together implements UnderWork {
  readonly leases: readonly PublicLease[];
  #signal: AbortSignal | undefined = undefined;

  constructor(leases: readonly PublicLease[]) {
    this.leases = leases;
  }

  get owners(): readonly string[] {
    return this.leases.map(({ owner }) => owner);
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any(this.leases.map(({ signal }) => signal));
    return this.#signal;
  }

  beginWork(): void {
    for (const lease of this.leases) PublicLease.underWork(lease).beginWork();
  }

  endWork(): EndOfWork {
    const ends = this.leases.map((lease) => PublicLease.underWork(lease).endWork());
    const reasons = ends.flatMap(({ lost }) => lost ?? []);
    // The signal reports the first loss: work may throw its reason.
    const lost = reasons.find((reason) => reason === this.#signal?.reason) ?? reasons[0];
    return { lost, freed: allFreed(ends.map(({ freed }) => freed)) };
  }
}

/** Several leases as one, lost when one of them is. Key, owner and token are those of the first. */
export class JointLease extends PublicLease {
  readonly #together: Together;

  constructor(leases: readonly [PublicLease, ...PublicLease[]]) {
    const together = new Together(leases);
    super(leases[0], together);
    this.#together = together;
  }

  override get signal(): AbortSignal {
    return this.#together.signal;
  }

  override get remaining(): number {
    return Math.min(...this.#together.leases.map(({ remaining }) => remaining));
  }

  override get held(): boolean {
    return this.#together.leases.every(({ held }) => held);
  }

  override async renew(): Promise<void> {
    await settleAll(this.#together.leases.map((lease) => lease.renew()));
  }

  override async downgrade(): Promise<void> {
    await settleAll(this.#together.leases.map((lease) => lease.downgrade()));
  }

  override async transfer(): Promise<string> {
    const message = `The lease on ${JSON.stringify(this.key)} is one of several keys or permits, and cannot be transferred. Transfer leases of single keys instead.`;
    throw new LockError('LOCK_INVALID', message, { key: this.key });
  }

  override release(): Promise<boolean> {
    return allFreed(this.#together.leases.map((lease) => lease.release()));
  }
}

async function allFreed(releases: readonly Promise<boolean>[]): Promise<boolean> {
  return (await settleAll(releases)).every(Boolean);
}

/** Waits for all calls, even if one rejects, and then rejects with the first error. */
async function settleAll<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return await Promise.all(calls);
}
