import { AbortFollowers } from './abort-followers.ts';
import { Acquisition } from './acquisition.ts';
import { BackgroundReleases } from './background-releases.ts';
import { TimerWheel } from '../time/timer-wheel.ts';
import type { KeyState, LockProvider, Traits } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import type { HeldLease } from './held-lease.ts';
import type { AcquisitionHost } from './host.ts';
import { KeepAlive } from '../time/keep-alive.ts';
import { checkKey } from '../options/key.ts';
import type { Lease } from '../lease.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import { readLocksOptions } from '../options/locks-options.ts';
import { resolveSettings } from '../options/acquire-options.ts';
import type { AcquireOptions, Settings } from '../options/acquire-options.ts';
import { createOwners } from '../options/owner.ts';
import { Reentrancy } from './reentrancy.ts';
import { checkRequires } from '../options/requirements.ts';
import { LinkedSet } from './linked-set.ts';
import type { Runtime } from '../time/runtime.ts';
import { runUnder } from './with-lock.ts';
import type { OwnedLease } from './with-lock.ts';

/** Takes locks through one provider. */
export interface Locks extends AsyncDisposable {
  /** The provider's name. */
  readonly name: string;
  readonly traits: Traits;
  /**
   * Takes `key`, runs `work` with the lease, and releases it, whatever happens. Resolves to what `work` resolves to. Keeps the
   * process running until then, unless this `Locks` is closed.
   * @throws what `acquire` throws; what `work` throws; `LOCK_LOST` when the lease was lost before `work` ended, with its
   * `result`, or its error as `cause`. A failed release does not reject.
   */
  withLock<T>(key: string, work: (lease: Lease) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T>;
  /**
   * Takes `key`, waiting as long as option `wait` says (without limit by default). Waiting keeps the process running; the lease
   * does not, also while it is renewed.
   * @throws `LOCK_TIMEOUT` when others hold it still, `LOCK_UNAVAILABLE` when the backend did not answer in time or gave
   * nothing but errors for a whole ttl, the reason of `signal`, `LOCK_OVERLOADED`, `LOCK_CLOSED`, `LOCK_INVALID`.
   */
  acquire(key: string, options?: AcquireOptions): Promise<Lease>;
  /** As `acquire`, but one attempt unless `wait` says more, and `null` where `acquire` would throw `LOCK_TIMEOUT`. */
  tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null>;
  /**
   * Who holds `key` and how many wait, as the store sees it at this moment.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  inspect(key: string): Promise<KeyState>;
  /**
   * Ends everything: waiters reject with `LOCK_CLOSED`, the signals of held leases abort with it, then leases are released,
   * for at most `closeTimeout`. A provider that `openLocks` made is closed too. Idempotent, never rejects.
   */
  close(): Promise<void>;
}

/**
 * Takes locks through `provider`, which stays the caller's: `close` does not close it.
 * @throws `LOCK_MISCONFIGURED` for a wrong default or unmet `requires`.
 */
export function createLocks(provider: LockProvider, options: LocksOptions = {}): Locks {
  return new LockManager(provider, options, false);
}

/** The `Locks` of `createLocks` and `openLocks`; the latter's owns its provider. */
export class LockManager implements Locks {
  readonly #host: AcquisitionHost;
  readonly #owned: boolean;
  readonly #defaults: Settings;
  readonly #tryDefaults: Settings;
  readonly #closeTimeout: number;
  readonly #reentrancy = new Reentrancy();
  readonly #keepAlive: KeepAlive;
  #closed: LockError | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(provider: LockProvider, options: LocksOptions, owned: boolean) {
    checkProvider(provider);
    const read = readLocksOptions(options);
    checkRequires(provider, options.requires);
    const { runtime } = read;
    this.#owned = owned;
    this.#defaults = read.settings;
    this.#tryDefaults = { ...read.settings, wait: 0 };
    this.#closeTimeout = read.closeTimeout;
    this.#keepAlive = new KeepAlive(runtime);
    this.#host = {
      provider,
      runtime,
      timers: new TimerWheel(runtime, false),
      waitTimers: new TimerWheel(runtime, true),
      releases: new BackgroundReleases(provider, runtime),
      leases: new LinkedSet(),
      signals: new AbortFollowers(),
      acquisitions: new LinkedSet(),
      maxWaiters: read.maxWaiters,
      waiting: 0,
      nextOwner: createOwners(runtime, read.label),
    };
  }

  get name(): string {
    return this.#host.provider.name;
  }

  get traits(): Traits {
    return this.#host.provider.traits;
  }

  async withLock<T>(key: string, work: (lease: Lease) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T> {
    if (typeof work !== 'function') {
      throw new LockError('LOCK_INVALID', 'withLock(key, work, options): "work" must be a function.');
    }
    const settings = this.#settings(key, this.#defaults, options);
    this.#keepAlive.begin();
    try {
      if (!settings.reentrant) return await runUnder(await this.#acquire(key, settings), work);
      const joined = this.#join(key, settings);
      if (joined !== undefined) return await runUnder(joined, work);
      const lease = await this.#acquire(key, settings);
      return await this.#reentrancy.run(lease, (hold) => runUnder(hold, work));
    } finally {
      this.#keepAlive.end();
    }
  }

  acquire(key: string, options?: AcquireOptions): Promise<Lease> {
    return this.#take(key, this.#defaults, options, false) as Promise<Lease>;
  }

  tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null> {
    return this.#take(key, this.#tryDefaults, options, true);
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    checkKey(key);
    try {
      return await this.#host.provider.inspect(key);
    } catch (error) {
      if (isLockError(error)) throw error;
      throw new LockError('LOCK_UNAVAILABLE', `${this.name} could not be asked about ${JSON.stringify(key)}.`, {
        cause: error,
        key,
      });
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #settings(key: string, defaults: Settings, options: AcquireOptions | undefined): Settings {
    this.#checkOpen();
    checkKey(key);
    return resolveSettings(defaults, options);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedError();
  }

  #join(key: string, { reentrant, mode, signal }: Settings): OwnedLease | undefined {
    if (!reentrant) return undefined;
    signal?.throwIfAborted();
    return this.#reentrancy.join(key, mode);
  }

  /** Not an async function, whose promise around the other's would cost a third of an in-memory acquire. */
  #take(key: string, defaults: Settings, options: AcquireOptions | undefined, orNull: boolean): Promise<Lease | null> {
    try {
      const settings = this.#settings(key, defaults, options);
      const joined = this.#join(key, settings);
      return joined === undefined ? new Acquisition(this.#host, key, settings, orNull).result : Promise.resolve(joined);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #acquire(key: string, settings: Settings): Promise<HeldLease> {
    return new Acquisition(this.#host, key, settings, false).result as Promise<HeldLease>;
  }

  async #close(): Promise<void> {
    const reason = closedError();
    this.#closed = reason;
    const { acquisitions, leases, releases, runtime, timers, waitTimers, provider } = this.#host;
    for (const acquisition of acquisitions.members()) acquisition.close(reason);
    for (const lease of leases.members()) lease.close(reason);
    await within(runtime, this.#closeTimeout, releases.finished());
    releases.stop();
    // Callers whose release nobody has answered yet are let go when the hold has ended.
    if (timers.size === 0) timers.stop();
    waitTimers.stop();
    this.#keepAlive.stop();
    if (this.#owned) await within(runtime, this.#closeTimeout, closeQuietly(provider));
  }
}

function checkProvider(provider: LockProvider): void {
  const methods = ['tryAcquire', 'renew', 'release', 'inspect', 'close'] as const;
  const isProvider =
    typeof provider?.traits === 'object' && methods.every((name) => typeof provider[name] === 'function');
  if (isProvider) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    'createLocks needs a provider, such as createMemoryProvider(); for a URL or a configuration use openLocks.',
  );
}

/** Closes `provider`, whatever it makes of it. */
export async function closeQuietly(provider: LockProvider): Promise<void> {
  try {
    await provider.close();
  } catch {
    // There is nobody left to tell.
  }
}

function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'This Locks is closed; open another one.');
}

/** Waits for `work`, but no longer than `limit` ms. */
async function within(runtime: Runtime, limit: number, work: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = runtime.setTimer(resolve, limit, true);
    void work.then(() => {
      runtime.clearTimer(timer);
      resolve();
    });
  });
}
