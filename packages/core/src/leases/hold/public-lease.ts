import type { Mode } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import type { Lease, LeaseRecord } from '../../lease.ts';
import { printAs } from './printed.ts';

/** What a public lease stands for: a held lease, or one of several holds on it. */
export interface Holding extends Omit<Lease, 'toJSON' | typeof Symbol.asyncDispose> {
  /** Why it ended against its holder's will. `undefined` while it is held and after `release`. */
  readonly lostReason: LockError | undefined;
  /** Work runs under it, until its release: `close` of the `Locks` waits for that. */
  beginWork(): void;
}

/**
 * The lease that users hold. It has the members of `Lease` and nothing else, so that a lease can be
 * printed and compared. Timers, links to other leases and the provider stay behind it.
 */
export class PublicLease implements Lease {
  static {
    printAs('Lease', PublicLease.prototype);
  }

  // Fields, as loggers show no getters.
  readonly key: string;
  readonly token: bigint;
  readonly #holding: Holding;

  constructor(holding: Holding) {
    this.key = holding.key;
    this.token = holding.token;
    this.#holding = holding;
  }

  /**
   * Why `lease` ended against its holder's will. `undefined` while it is held and after `release`.
   */
  static lostReason(lease: PublicLease): LockError | undefined {
    return lease.#holding.lostReason;
  }

  static beginWork(lease: PublicLease): void {
    lease.#holding.beginWork();
  }

  get owner(): string {
    return this.#holding.owner;
  }

  get mode(): Mode {
    return this.#holding.mode;
  }

  get signal(): AbortSignal {
    return this.#holding.signal;
  }

  get remaining(): number {
    return this.#holding.remaining;
  }

  get held(): boolean {
    return this.#holding.held;
  }

  renew(): Promise<void> {
    return this.#holding.renew();
  }

  downgrade(): Promise<void> {
    return this.#holding.downgrade();
  }

  handOver(): Promise<string> {
    return this.#holding.handOver();
  }

  release(): Promise<boolean> {
    return this.#holding.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch(() => {});
  }

  toJSON(): LeaseRecord {
    const { key, owner, mode, token, held, remaining } = this.#holding;
    return { key, owner, mode, token: `${token}`, held, remaining: Math.floor(remaining) };
  }
}
