import type { Mode } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import type { Lease } from '../lease.ts';
import type { TryResult } from '../leases/lock-calls.ts';
import { printAs } from '../leases/hold/printed.ts';
import { readWork } from '../leases/hold/with-lock.ts';
import { readOption } from '../options/acquire-options.ts';
import type { AcquireOptions, Settings } from '../options/acquire-options.ts';
import type { JointCalls } from './joint-calls.ts';
import { LockObject } from './lock-object.ts';
import type { Share } from './lock-object.ts';
import type { KeyLockable, ObjectOptions } from './lockable.ts';

/** Options that the object sets for its calls. */
type OwnOptions = Pick<Settings, 'mode'> & Partial<Pick<Settings, 'permits'>>;

/** One key, in a fixed mode. */
export class KeyLock extends LockObject implements KeyLockable {
  static {
    printAs('Lock', KeyLock.prototype);
  }

  readonly #locks: JointCalls;
  readonly #own: OwnOptions;

  constructor(locks: JointCalls, key: string, own: OwnOptions) {
    super(locks, key);
    this.#locks = locks;
    this.#own = own;
  }

  async withLock<T>(first: unknown, second?: unknown): Promise<T> {
    const [work, options] = readWork<T>('withLock', first, second);
    return await this.#locks.withLock(this.key, this.#options(options), work);
  }

  async tryWithLock<T>(first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T>('tryWithLock', first, second);
    return await this.#locks.tryWithLock(this.key, this.#options(options), work);
  }

  async acquire(options?: ObjectOptions): Promise<Lease> {
    return await this.#locks.acquire(this.key, this.#options(options));
  }

  async tryAcquire(options?: ObjectOptions): Promise<Lease | null> {
    return await this.#locks.tryAcquire(this.key, this.#options(options));
  }

  /** The mode of its calls. */
  get mode(): Mode {
    return this.#own.mode;
  }

  protected get share(): Share {
    return this.#own;
  }

  toJSON(): OwnOptions & { readonly key: string } {
    return { key: this.key, ...this.#own };
  }

  #options(options: ObjectOptions | undefined): AcquireOptions {
    checkObjectOptions(options);
    return { ...options, ...this.#own };
  }
}

/** Throws `LOCK_INVALID` for options that a joint lease cannot have. */
export function checkJointOptions(options: AcquireOptions | undefined): void {
  checkObjectOptions(options);
  if (!readOption('atLeast', options?.atLeast)) return;
  const message = `Lock options: option "atLeast" (${options?.atLeast}) works with one key or permit only. Leave it out.`;
  throw new LockError('LOCK_INVALID', message);
}

/** Throws `LOCK_INVALID` if the options of a call contain those of the object. */
function checkObjectOptions(options: AcquireOptions | undefined): void {
  for (const name of ['mode', 'permits'] as const) {
    if (options?.[name] === undefined) continue;
    const message = `Lock options: option "${name}" is set on the object, not on its calls. Leave it out.`;
    throw new LockError('LOCK_INVALID', message);
  }
}
