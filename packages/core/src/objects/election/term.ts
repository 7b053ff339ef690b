import type { Mode } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { PublicLease } from '../../locks/lease/public-lease.ts';
import type { Holding } from '../../locks/lease/public-lease.ts';

/** The lease of a leader, whose signal also aborts when it is asked to resign. */
export class Term implements Holding {
  readonly #lease: PublicLease;
  readonly #resigned = new AbortController();
  #signal: AbortSignal | undefined = undefined;

  constructor(lease: PublicLease) {
    this.#lease = lease;
  }

  /** Asks the leader to end. */
  resign(): void {
    const message = `The leader of ${JSON.stringify(this.key)} was asked to resign.`;
    this.#resigned.abort(new LockError('LOCK_CLOSED', message, { key: this.key }));
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#lease.signal, this.#resigned.signal]);
    return this.#signal;
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

  get remaining(): number {
    return this.#lease.remaining;
  }

  get held(): boolean {
    return this.#lease.held;
  }

  get lostReason(): LockError | undefined {
    return PublicLease.lostReason(this.#lease);
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
