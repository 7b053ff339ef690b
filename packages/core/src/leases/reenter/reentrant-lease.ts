import type { Mode } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import type { EndOfWork, UnderWork } from '../hold/lease-state.ts';
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
    return new NestedLease(this, new Hold(this));
  }

  /** Ends one hold. Returns whether it was the last one. */
  leave(): boolean {
    this.#holds -= 1;
    this.#ended = this.#holds === 0;
    return this.#ended;
  }
}

class Hold implements UnderWork {
  readonly shared: ReentrantLease;
  left: { readonly isLast: boolean; readonly held: boolean } | undefined = undefined;

  constructor(shared: ReentrantLease) {
    this.shared = shared;
  }

  beginWork(): void {
    PublicLease.underWork(this.shared.lease).beginWork();
  }

  /** A loss of the lease after its own end does not matter. */
  endWork(): EndOfWork {
    const lost = this.left === undefined ? PublicLease.lostReason(this.shared.lease) : undefined;
    return { lost, freed: this.release() };
  }

  release(): Promise<boolean> {
    const { lease } = this.shared;
    this.left ??= { held: lease.held, isLast: this.shared.leave() };
    return this.left.isLast ? lease.release() : Promise.resolve(this.left.held);
  }
}

/** One of several holds on a lease. Each ends separately, and the last one releases the lease. */
class NestedLease extends PublicLease {
  readonly #hold: Hold;

  constructor(shared: ReentrantLease, hold: Hold) {
    super(shared.lease, hold);
    this.#hold = hold;
  }

  override get held(): boolean {
    return this.#hold.left === undefined && super.held;
  }

  override get remaining(): number {
    return this.#hold.left === undefined ? super.remaining : 0;
  }

  override renew(): Promise<void> {
    if (this.#hold.left === undefined) return super.renew();
    return Promise.reject(this.#released('renewed'));
  }

  override async downgrade(): Promise<void> {
    this.#mustBeAlone('downgraded');
    await super.downgrade();
  }

  override async transfer(): Promise<string> {
    this.#mustBeAlone('transferred');
    return await super.transfer();
  }

  override release(): Promise<boolean> {
    return this.#hold.release();
  }

  #mustBeAlone(what: string): void {
    const { left, shared } = this.#hold;
    if (left !== undefined) throw this.#released(what);
    if (shared.holds === 1) return;
    const message = `${JSON.stringify(this.key)} is held ${shared.holds} times by this context. Only its last hold can be ${what}.`;
    throw new LockError('LOCK_INVALID', message, { key: this.key });
  }

  #released(what: string): LockError {
    const message = `This hold on ${JSON.stringify(this.key)} was released, so it cannot be ${what}.`;
    return new LockError('LOCK_INVALID', message, { key: this.key });
  }
}
