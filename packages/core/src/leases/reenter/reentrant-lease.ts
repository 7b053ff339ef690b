import type { Mode } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { LeaseView } from '../hold/lease-view.ts';
import { PublicLease } from '../hold/public-lease.ts';

/** A lease that its asynchronous context may take again, and the number of holds on it. */
export class ReentrantLease {
  readonly lease: PublicLease;
  #holds = 0;
  #ended = false;

  constructor(lease: PublicLease) {
    this.lease = lease;
  }

  get key(): string {
    return this.lease.key;
  }

  get holds(): number {
    return this.#holds;
  }

  /** Whether it still has a hold. A context may outlive its work. */
  get open(): boolean {
    return !this.#ended;
  }

  /**
   * Another hold.
   * @throws `LOCK_INVALID` for an exclusive hold on a shared lease, and the reason of a loss.
   */
  join(mode: Mode): PublicLease {
    if (this.lease.mode === 'shared' && mode === 'exclusive') {
      const message = `${JSON.stringify(this.key)} is held shared by this context and cannot become exclusive: release it first.`;
      throw new LockError('LOCK_INVALID', message, { key: this.key });
    }
    const lost = PublicLease.lostReason(this.lease);
    if (lost !== undefined) throw lost;
    this.#holds += 1;
    return new PublicLease(new NestedLease(this));
  }

  /** Ends one hold. Gives whether it was the last one. */
  leave(): boolean {
    this.#holds -= 1;
    this.#ended = this.#holds === 0;
    return this.#ended;
  }
}

/**
 * One of several holds on a lease. Each ends on its own, and the last one to end releases the
 * lease.
 */
class NestedLease extends LeaseView {
  readonly #shared: ReentrantLease;
  #left: { readonly isLast: boolean; readonly held: boolean } | undefined = undefined;

  constructor(shared: ReentrantLease) {
    super(shared.lease);
    this.#shared = shared;
  }

  override get held(): boolean {
    return this.#left === undefined && super.held;
  }

  override get remaining(): number {
    return this.#left === undefined ? super.remaining : 0;
  }

  override get lostReason(): LockError | undefined {
    return this.#left === undefined ? super.lostReason : undefined;
  }

  override renew(): Promise<void> {
    if (this.#left === undefined) return super.renew();
    return Promise.reject(this.#released('renewed'));
  }

  override async downgrade(): Promise<void> {
    this.#mustBeAlone('downgraded');
    await super.downgrade();
  }

  override async handOver(): Promise<string> {
    this.#mustBeAlone('handed over');
    return await super.handOver();
  }

  override release(): Promise<boolean> {
    this.#left ??= { held: super.held, isLast: this.#shared.leave() };
    return this.#left.isLast ? super.release() : Promise.resolve(this.#left.held);
  }

  #mustBeAlone(what: string): void {
    if (this.#left !== undefined) throw this.#released(what);
    if (this.#shared.holds === 1) return;
    const message = `${JSON.stringify(this.key)} is held ${this.#shared.holds} times by this context. Only its last hold can be ${what}.`;
    throw new LockError('LOCK_INVALID', message, { key: this.key });
  }

  #released(what: string): LockError {
    const message = `This hold on ${JSON.stringify(this.key)} was released and cannot be ${what}.`;
    return new LockError('LOCK_INVALID', message, { key: this.key });
  }
}
