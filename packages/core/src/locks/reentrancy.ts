import { AsyncLocalStorage } from 'node:async_hooks';
import type { Mode } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { PublicLease } from './lease/public-lease.ts';
import type { Holding } from './lease/public-lease.ts';

/** The scopes that an asynchronous context is in, innermost first. */
interface Frame {
  readonly scope: Scope;
  readonly outer: Frame | undefined;
}

/**
 * Which keys the current asynchronous context holds. Only `withLock` and `tryWithLock` open a
 * scope. `acquire` would have to enter its caller's context, and would leak into everything that
 * runs after it.
 */
export class Reentrancy {
  readonly #storage = new AsyncLocalStorage<Frame>();

  /**
   * Another hold on `key`. `undefined`: this context is in no scope of the key, so take the lock as
   * usual.
   */
  join(key: string, mode: Mode): PublicLease | undefined {
    for (let frame = this.#storage.getStore(); frame !== undefined; frame = frame.outer) {
      if (frame.scope.key === key && frame.scope.open) return frame.scope.join(mode);
    }
    return undefined;
  }

  /** Runs `work` in a scope of `lease`, with the first hold on it. */
  run<T>(lease: PublicLease, work: (hold: PublicLease) => T): T {
    const scope = new Scope(lease);
    const hold = scope.join(lease.mode);
    return this.#storage.run({ scope, outer: this.#storage.getStore() }, () => work(hold));
  }
}

/** One lease, and the number of holds on it. */
class Scope {
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

  /** Whether it still has a hold. A context may outlive its scope. */
  get open(): boolean {
    return !this.#ended;
  }

  join(mode: Mode): PublicLease {
    if (this.lease.mode === 'shared' && mode === 'exclusive') {
      const message = `${JSON.stringify(this.key)} is held shared by this context and cannot become exclusive: release it first.`;
      throw new LockError('LOCK_INVALID', message, { key: this.key });
    }
    const lost = PublicLease.lostReason(this.lease);
    if (lost !== undefined) throw lost;
    this.#holds += 1;
    return new PublicLease(new Hold(this));
  }

  async leave(): Promise<boolean> {
    this.#holds -= 1;
    if (this.#holds > 0) return this.lease.held;
    this.#ended = true;
    return await this.lease.release();
  }
}

/**
 * One of several holds on a lease. Each ends on its own, and the last one to end releases the
 * lease.
 */
class Hold implements Holding {
  readonly #scope: Scope;
  #leaving: Promise<boolean> | undefined = undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
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

  get held(): boolean {
    return this.#leaving === undefined && this.#lease.held;
  }

  get remaining(): number {
    return this.#leaving === undefined ? this.#lease.remaining : 0;
  }

  get lostReason(): LockError | undefined {
    return this.#leaving === undefined ? PublicLease.lostReason(this.#lease) : undefined;
  }

  renew(): Promise<void> {
    if (this.#leaving === undefined) return this.#lease.renew();
    return Promise.reject(this.#released('renewed'));
  }

  async downgrade(): Promise<void> {
    if (this.#leaving !== undefined) throw this.#released('downgraded');
    if (this.#scope.holds > 1) {
      const message = `${JSON.stringify(this.key)} is held ${this.#scope.holds} times by this context. Only its last hold can be downgraded.`;
      throw new LockError('LOCK_INVALID', message, { key: this.key });
    }
    await this.#lease.downgrade();
  }

  release(): Promise<boolean> {
    this.#leaving ??= this.#scope.leave();
    return this.#leaving;
  }

  #released(what: string): LockError {
    const message = `This hold on ${JSON.stringify(this.key)} was released and cannot be ${what}.`;
    return new LockError('LOCK_INVALID', message, { key: this.key });
  }

  get #lease(): PublicLease {
    return this.#scope.lease;
  }
}
