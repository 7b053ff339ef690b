import type { Mode } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { PublicLease } from './public-lease.ts';
import type { Holding } from './public-lease.ts';

/** A lease as it is. What sees it in another way overrides a part. */
export class LeaseView implements Holding {
  readonly #lease: PublicLease;

  constructor(lease: PublicLease) {
    this.#lease = lease;
  }

  get key(): string {
    return this.#lease.key;
  }

  get owner(): string {
    return this.#lease.owner;
  }

  get mode(): Mode {
    return this.#lease.mode;
  }

  get token(): bigint {
    return this.#lease.token;
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  get remaining(): number {
    return this.#lease.remaining;
  }

  get held(): boolean {
    return this.#lease.held;
  }

  get lostReason(): LockError | undefined {
    return PublicLease.lostReason(this.#lease);
  }

  beginWork(): void {
    PublicLease.beginWork(this.#lease);
  }

  renew(): Promise<void> {
    return this.#lease.renew();
  }

  downgrade(): Promise<void> {
    return this.#lease.downgrade();
  }

  handOver(): Promise<string> {
    return this.#lease.handOver();
  }

  release(): Promise<boolean> {
    return this.#lease.release();
  }
}
