import { deadlockError } from '../errors/messages.ts';
import { LockError } from '../errors/lock-error.ts';
import type { Lease } from '../lease.ts';
import { printAs } from '../leases/hold/printed.ts';
import type { PublicLease } from '../leases/hold/public-lease.ts';
import type { TryResult } from '../leases/lock-calls.ts';
import { readWork } from '../leases/hold/with-lock.ts';
import { readOption } from '../options/acquire-options.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import { checkKey } from '../options/key.ts';
import type { Clock } from '../time/clock.ts';
import type { JointCalls } from './joint-calls.ts';
import { JointLease } from './joint-lease.ts';
import { checkJointOptions } from './key-lock.ts';
import { LockObject } from './lock-object.ts';
import type { Share } from './lock-object.ts';
import type { KeyLockable, ObjectOptions } from './lockable.ts';
import type { DefaultWaits } from './multi-lock.ts';

export interface PermitsParts {
  readonly locks: JointCalls;
  readonly clock: Clock;
  readonly waits: DefaultWaits;
  readonly key: string;
  readonly permits: number;
  readonly count: number;
}

/**
 * Several permits of a semaphore, all of them or none. Only one call at a time takes more than one
 * permit, so two calls never wait for each other with half of what they need. A fair queue grants
 * it each permit in turn.
 */
export class Permits extends LockObject implements KeyLockable {
  static {
    printAs('Permits', Permits.prototype);
  }

  readonly #parts: PermitsParts;
  /** Held exclusively by the call that takes several permits, until it has them. */
  readonly #gate: string;

  constructor(parts: PermitsParts) {
    const { locks, key, permits, count } = parts;
    super(locks, key);
    if (!Number.isSafeInteger(count) || count < 1 || count > permits) {
      const message = `take(count) of the semaphore ${JSON.stringify(key)} needs an integer from 1 to its ${permits} permits, not ${String(count)}.`;
      throw new LockError('LOCK_INVALID', message, { key });
    }
    this.#parts = parts;
    this.#gate = `semaphore/take/${key}`;
    checkKey(this.#gate);
  }

  async withLock<T>(first: unknown, second?: unknown): Promise<T> {
    const [work, options] = readWork<T>('withLock', first, second);
    const lease = (await this.#take(options, this.#parts.waits.wait, false)) as PublicLease;
    return await this.#parts.locks.hold(lease, { shares: this.#parts.count }, work);
  }

  async tryWithLock<T>(first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T>('tryWithLock', first, second);
    const lease = await this.#take(options, this.#parts.waits.tryWait, true);
    if (lease === null) return { held: false };
    return { held: true, value: await this.#parts.locks.hold(lease, { shares: this.#parts.count }, work) };
  }

  async acquire(options?: ObjectOptions): Promise<Lease> {
    return (await this.#take(options, this.#parts.waits.wait, false)) as PublicLease;
  }

  async tryAcquire(options?: ObjectOptions): Promise<Lease | null> {
    return await this.#take(options, this.#parts.waits.tryWait, true);
  }

  protected get share(): Share {
    return { mode: 'shared', ...this.#parts };
  }

  toJSON(): Pick<PermitsParts, 'key' | 'permits' | 'count'> {
    const { key, permits, count } = this.#parts;
    return { key, permits, count };
  }

  async #take(given: ObjectOptions | undefined, usual: number, orNull: boolean): Promise<PublicLease | null> {
    checkJointOptions(given);
    if (given?.reentrant === true) {
      throw new LockError('LOCK_INVALID', 'Several permits are not reentrant. Leave option "reentrant" out.');
    }
    const { locks, clock, key, permits, count } = this.#parts;
    const wait = readOption('wait', given?.wait) ?? usual;
    const own = given?.waitForSelf === true ? 0 : locks.ownShares(key);
    if (wait === Infinity && own > 0 && own + count > permits)
      throw deadlockError({ key, mode: 'shared', permits }, 'shared');
    const options: AcquireOptions = { ...given, wait, reentrant: false };
    const end = clock.now() + wait;
    const gate = await this.#one(this.#gate, { ...options, renew: true, maxHold: Infinity, lockDelay: 0 }, orNull);
    if (gate === null) return null;
    try {
      const left = wait === Infinity ? wait : Math.max(0, Math.ceil(end - clock.now()));
      return await this.#all(key, { ...options, wait: left, mode: 'shared', permits }, gate.signal, orNull);
    } finally {
      // The next call may begin. This one is complete, and does not wait for that.
      void gate[Symbol.asyncDispose]();
    }
  }

  async #all(key: string, options: AcquireOptions, gate: AbortSignal, orNull: boolean): Promise<PublicLease | null> {
    const stop = new AbortController();
    const signals = [gate, stop.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const own = { ...options, signal: AbortSignal.any(signals) };
    // Simultaneously: each has its position in the queue before the first is granted.
    const asked = Array.from({ length: this.#parts.count }, async () => {
      try {
        const lease = await this.#one(key, own, orNull);
        if (lease === null) stop.abort();
        return lease;
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    });
    const outcomes = await Promise.allSettled(asked);
    const leases = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
    const [first, ...others] = leases;
    if (first !== undefined && leases.length === outcomes.length) return new JointLease([first, ...others]);
    await Promise.allSettled(leases.map((lease) => lease.release()));
    if (orNull && outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value === null)) return null;
    // The others were aborted with it.
    throw stop.signal.reason;
  }

  #one(key: string, options: AcquireOptions, orNull: boolean): Promise<PublicLease | null> {
    const { locks } = this.#parts;
    const lease = orNull ? locks.tryAcquire(key, options) : locks.acquire(key, options);
    return lease as Promise<PublicLease | null>;
  }
}
