import type { Mode } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import type { Lease, LeaseRecord } from '../../lease.ts';
import { channels, messageAbout } from '../diagnostics/channels.ts';
import { transfer } from './transfer.ts';
import { HeldLease } from './held-lease.ts';
import type { Terms } from './held-lease.ts';
import type { LeaseHost } from './lease-host.ts';
import type { UnderWork } from './lease-state.ts';
import { printAs, withJson } from './printed.ts';
import { downgrade, renew } from './renewals.ts';

/**
 * The lease that users hold. It has only the members of `Lease`, so that a lease can be printed and
 * compared; timers, links to other leases and the provider are hidden. Other views of a lease (one
 * hold of several, several as one) extend it, and override a part.
 */
export class PublicLease implements Lease {
  static {
    printAs('Lease', PublicLease.prototype);
  }

  // Fields, as loggers show no getters.
  readonly key: string;
  readonly token: bigint;
  readonly #held: HeldLease;
  readonly #work: UnderWork;

  /** A view of a lease, or of what `of` shows. `work`: the end of work under it. */
  constructor(of: HeldLease | PublicLease, work?: UnderWork) {
    this.key = of.key;
    this.token = of.token;
    const shown = #held in of;
    this.#held = shown ? of.#held : of;
    this.#work = work ?? (shown ? of.#work : of);
  }

  static underWork(lease: PublicLease): UnderWork {
    return lease.#work;
  }

  /**
   * Why `lease` ended against its holder's will. `undefined` while it is held and after `release`.
   */
  static lostReason(lease: PublicLease): LockError | undefined {
    return lease.#held.lostReason;
  }

  get owner(): string {
    return this.#held.owner;
  }

  get mode(): Mode {
    return this.#held.claim.mode;
  }

  get signal(): AbortSignal {
    return this.#held.signal;
  }

  get remaining(): number {
    return this.#held.remaining;
  }

  get held(): boolean {
    return this.#held.held;
  }

  renew(): Promise<void> {
    return renew(this.#held);
  }

  downgrade(): Promise<void> {
    return downgrade(this.#held);
  }

  transfer(): Promise<string> {
    return transfer(this.#held);
  }

  release(): Promise<boolean> {
    return this.#held.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch(() => {});
  }

  toJSON(): LeaseRecord {
    const { key, owner, mode, token, held, remaining } = this;
    return { key, owner, mode, token: `${token}`, held, remaining: Math.floor(remaining) };
  }
}

/** The lease with these terms. Reports it to diagnostics, with the wait of its call in ms. */
export function newLease(host: LeaseHost, terms: Terms, waited: number, attempts: number): PublicLease {
  if (channels.acquire.hasSubscribers) {
    const { claim, token, now, deadline } = terms;
    const times = { token, ttl: claim.ttl, remaining: deadline - now, waited, attempts };
    channels.acquire.publish(withJson(messageAbout(host.provider.name, claim, times)));
  }
  return new PublicLease(new HeldLease(host, terms));
}
