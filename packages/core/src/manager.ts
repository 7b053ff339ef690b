import type { LockProvider, Traits } from './contract.ts';
import { misconfigured } from './errors/misconfigured.ts';
import type { Lease } from './lease.ts';
import type { AcquireOptions, Settings } from './options/acquire-options.ts';
import { checkProvider } from './options/check-provider.ts';
import { readLocksOptions } from './options/locks-options.ts';
import type { LocksOptions } from './options/locks-options.ts';
import { withFloor } from './token-floor/with-floor.ts';
import { checkRequires } from './options/requirements.ts';
import { Candidate } from './objects/election/candidate.ts';
import type { Election, Lead, Leadership } from './objects/election/election.ts';
import { Observer } from './objects/election/observe.ts';
import { readElectOptions, readLeadershipOptions } from './objects/election/options.ts';
import type { ElectOptions, LeadershipOptions } from './objects/election/options.ts';
import type { KeyLockable, MultiLockable, ReadWriteLock, Semaphore } from './objects/lockable.ts';
import type { HoldOptions } from './leases/key-calls.ts';
import { KeyLock } from './objects/key-lock.ts';
import { MultiLock } from './objects/multi-lock.ts';
import type { DefaultWaits } from './objects/multi-lock.ts';
import { OncePerSlot } from './objects/once/once.ts';
import type { EverySlot, OnceOptions } from './objects/once/options.ts';
import { readWriteLock, semaphore } from './objects/shared-objects.ts';
import type { AcquisitionHost } from './leases/acquire/acquisition-host.ts';
import { Flow } from './leases/reenter/flow.ts';
import { createHost } from './leases/create-host.ts';
import type { Closing } from './leases/close-locks.ts';
import { KeyCalls, notFree } from './leases/key-calls.ts';
import { printAs } from './leases/hold/printed.ts';
import type { PublicLease } from './leases/hold/public-lease.ts';
import { resume } from './leases/hold/resume.ts';
import type { LockHolder, LockState } from './lock-state.ts';
import type { Locks } from './locks.ts';
import { forceRelease, inspectKey, listKeys } from './leases/operator-calls.ts';
import type { TryResult } from './leases/acquire/try-result.ts';
import { readWork } from './leases/hold/with-lock.ts';
import type { Work } from './leases/hold/with-lock.ts';

/**
 * Takes locks through `provider`, which stays the caller's: `close` does not close it, unless
 * option `closeProvider` says so.
 * @throws `LOCK_MISCONFIGURED` for a wrong default or unmet `requires`.
 */
export function createLocks(provider: LockProvider, options: LocksOptions = {}): Locks {
  return new LockManager(provider, options, false);
}

/** The `Locks` of `createLocks` and `openLocks`; the latter's owns its provider. */
export class LockManager implements Locks {
  static {
    printAs('Locks', LockManager.prototype);
  }

  readonly #host: AcquisitionHost;
  readonly #defaults: Settings;
  readonly #tryDefaults: Settings;
  readonly #terms: Pick<Closing, 'drain' | 'closeTimeout' | 'owned'>;
  readonly #calls: KeyCalls;
  #slots: OncePerSlot | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(store: LockProvider, options: LocksOptions, owned: boolean) {
    checkProvider(store);
    const read = readLocksOptions(options);
    const { tokenFloor } = read;
    const provider = tokenFloor === undefined ? store : withFloor(store, tokenFloor);
    checkRequires(provider, options.requires);
    if (owned && read.closeProvider === false) {
      const why = 'option "closeProvider" cannot be false, as nothing else could close the provider. Leave it out';
      throw misconfigured('openLocks', why);
    }
    const { drain, closeTimeout, closeProvider } = read;
    this.#terms = { drain, closeTimeout, owned: owned || closeProvider === true };
    this.#defaults = read.settings;
    this.#tryDefaults = { ...read.settings, wait: 0 };
    const flow = new Flow(store, read.findDeadlocks);
    this.#host = createHost(provider, read, flow.misses);
    this.#calls = new KeyCalls(this.#host, flow);
  }

  get name(): string {
    return this.#host.provider.name;
  }

  get traits(): Traits {
    return this.#host.provider.traits;
  }

  withLock<T>(key: string, options: AcquireOptions | undefined, work: Work<T>): Promise<T>;
  withLock<T>(key: string, work: Work<T>, options?: AcquireOptions): Promise<T>;
  withLock<T>(key: string, first: unknown, second?: unknown): Promise<T> {
    try {
      const [work, options] = readWork<T>('withLock', first, second);
      return this.#calls.run(key, this.#calls.settings(key, this.#defaults, options), work, false) as Promise<T>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryWithLock<T>(key: string, first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T>('tryWithLock', first, second);
    const settings = this.#calls.settings(key, this.#tryDefaults, options);
    const value = await this.#calls.run(key, settings, work, true);
    return value === notFree ? { held: false } : { held: true, value };
  }

  acquire(key: string, options?: AcquireOptions): Promise<Lease> {
    return this.#calls.take(key, this.#defaults, options, false) as Promise<Lease>;
  }

  tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null> {
    return this.#calls.take(key, this.#tryDefaults, options, true);
  }

  async resume(text: string): Promise<Lease> {
    this.#calls.checkOpen();
    return await resume(this.#host, this, text, () => this.#calls.closed);
  }

  mutex(key: string): KeyLockable {
    return new KeyLock(this, key, { mode: 'exclusive' });
  }

  readWriteLock(key: string): ReadWriteLock {
    return readWriteLock(this, key);
  }

  semaphore(key: string, permits: number): Semaphore {
    return semaphore(this, this.#host.runtime.clock, this.#waits, key, permits);
  }

  multiLock(parts: readonly (string | KeyLockable)[]): MultiLockable {
    return new MultiLock(this, this.#host.runtime.clock, this.#waits, parts);
  }

  elect(key: string, lead: Lead, options: ElectOptions = {}): Election {
    this.#calls.checkOpen();
    const read = readElectOptions(options);
    const terms = { ...read, drain: this.#terms.drain };
    return new Candidate(this.#host, this, this.#observer(key, { poll: read.poll }), lead, terms);
  }

  leadership(key: string, options: LeadershipOptions = {}): Leadership {
    return this.#observer(key, readLeadershipOptions(options));
  }

  async once<T>(key: string, slot: string | EverySlot, first: unknown, second?: unknown): Promise<TryResult<T>> {
    this.#calls.checkOpen();
    const [work, options = {}] = readWork<T, Lease, OnceOptions>('once', first, second);
    const { provider, runtime } = this.#host;
    this.#slots ??= new OncePerSlot({ provider, clock: runtime.clock, locks: this });
    return await this.#slots.run(key, slot, options, work);
  }

  async inspect(key: string): Promise<LockState> {
    this.#calls.checkOpen();
    return await inspectKey(this.#host.provider, key);
  }

  async *list(prefix = ''): AsyncIterable<string> {
    this.#calls.checkOpen();
    for await (const key of listKeys(this.#host.provider, prefix)) {
      yield key;
      this.#calls.checkOpen();
    }
  }

  async forceRelease(holder: Pick<LockHolder, 'key' | 'owner' | 'mode'>): Promise<boolean> {
    this.#calls.checkOpen();
    return await forceRelease(this.#host.provider, holder, this.#defaults.ttl);
  }

  toJSON(): Pick<Locks, 'name' | 'traits'> {
    return { name: this.name, traits: this.traits };
  }

  close(): Promise<void> {
    this.#closing ??= this.#calls.close(this.#terms);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // What objects of several leases need.

  tryEach(keys: readonly string[], options: AcquireOptions): readonly Promise<PublicLease | null>[] | undefined {
    return this.#calls.tryEach(keys, this.#defaults, options);
  }

  hold<T>(lease: PublicLease, options: HoldOptions, work: Work<T>): Promise<T> {
    return this.#calls.hold(lease, options, work);
  }

  ownShares(key: string): number {
    return this.#calls.ownShares(key);
  }

  worksUnder(owner: string): boolean {
    return this.#calls.worksUnder(owner);
  }

  get #waits(): DefaultWaits {
    return { wait: this.#defaults.wait, tryWait: this.#tryDefaults.wait };
  }

  #observer(key: string, options: LeadershipOptions & { readonly poll: number }): Leadership {
    return new Observer(this.#host, (looked) => this.inspect(looked), key, options);
  }
}
