import type { Mode } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { PublicLease } from '../locks/lease/public-lease.ts';
import type { Holding } from '../locks/lease/public-lease.ts';

/** Several leases as one, which is lost when one of them is. It has the names of the first. */
export class JointLease implements Holding {
  readonly #leases: readonly PublicLease[];
  readonly #first: PublicLease;
  #signal: AbortSignal | undefined = undefined;

  constructor(leases: readonly [PublicLease, ...PublicLease[]]) {
    this.#leases = leases;
    this.#first = leases[0];
  }

  get key(): string {
    return this.#first.key;
  }

  get owner(): string {
    return this.#first.owner;
  }

  get mode(): Mode {
    return this.#first.mode;
  }

  get token(): bigint {
    return this.#first.token;
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any(this.#leases.map(({ signal }) => signal));
    return this.#signal;
  }

  get remaining(): number {
    return Math.min(...this.#leases.map(({ remaining }) => remaining));
  }

  get held(): boolean {
    return this.#leases.every(({ held }) => held);
  }

  get lostReason(): LockError | undefined {
    return this.#leases.map((lease) => PublicLease.lostReason(lease)).find((reason) => reason !== undefined);
  }

  async renew(): Promise<void> {
    await settleAll(this.#leases.map((lease) => lease.renew()));
  }

  async downgrade(): Promise<void> {
    await settleAll(this.#leases.map((lease) => lease.downgrade()));
  }

  async handOver(): Promise<string> {
    const message = `The lease on ${JSON.stringify(this.key)} is one of several keys or permits, and cannot be handed over. Hand over leases of one key.`;
    throw new LockError('LOCK_INVALID', message, { key: this.key });
  }

  async release(): Promise<boolean> {
    const freed = await settleAll(this.#leases.map((lease) => lease.release()));
    return freed.every(Boolean);
  }
}

/** Waits for all calls, also where one rejects, and then rejects with the first error. */
async function settleAll<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return await Promise.all(calls);
}
