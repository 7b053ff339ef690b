import type { LockProvider, Traits } from './contract.ts';
import type { LockError } from './errors/lock-error.ts';
import { closedError } from './errors/messages.ts';
import { misconfigured } from './errors/misconfigured.ts';
import type { Lease } from './lease.ts';
import { resolveSettings } from './options/acquire-options.ts';
import type { AcquireOptions, Settings } from './options/acquire-options.ts';
import { checkProvider } from './options/check-provider.ts';
import { checkKey } from './options/key.ts';
import { readLocksOptions } from './options/locks-options.ts';
import type { LocksOptions } from './options/locks-options.ts';
import { createOwners } from './options/owner.ts';
import { StoreFloor } from './token-floor/store-floor.ts';
import { withFloor } from './token-floor/with-floor.ts';
import { checkRequires } from './options/requirements.ts';
import { Candidate } from './objects/election/candidate.ts';
import type { Election, Lead, Leadership } from './objects/election/election.ts';
import { Observer } from './objects/election/observe.ts';
import { readElectOptions, readLeadershipOptions } from './objects/election/options.ts';
import type { ElectOptions, LeadershipOptions } from './objects/election/options.ts';
import type { KeyLockable, MultiLockable, ReadWriteLock, Semaphore, SemaphoreOptions } from './objects/lockable.ts';
import type { HoldOptions } from './objects/joint-calls.ts';
import { KeyLock } from './objects/key-lock.ts';
import { MultiLock } from './objects/multi-lock.ts';
import type { DefaultWaits } from './objects/multi-lock.ts';
import { OncePerSlot } from './objects/once/once.ts';
import type { EverySlot, OnceOptions } from './objects/once/options.ts';
import { mustResize, readWriteLock, semaphore } from './objects/shared-objects.ts';
import { KeepAlive } from './time/keep-alive.ts';
import { settledWithin } from './time/settled-within.ts';
import { TimerWheel } from './time/timer-wheel.ts';
import type { AcquisitionHost } from './leases/acquire/acquisition-host.ts';
import { Acquisition } from './leases/acquire/acquisition.ts';
import { JointAttempt, takesAll } from './leases/acquire/joint-attempt.ts';
import { OwnWaits } from './leases/diagnostics/own-waits.ts';
import { SlowWaits } from './leases/diagnostics/slow-waits.ts';
import { HolderLookups } from './leases/acquire/holder-lookups.ts';
import { Flow, ownShares } from './leases/reenter/flow.ts';
import { AbortFollowers } from './leases/ending/abort-followers.ts';
import { closeQuietly } from './leases/ending/close-quietly.ts';
import { LinkedSet } from './leases/ending/linked-set.ts';
import { renewalsOf } from './leases/hold/joint-renewals.ts';
import { printAs } from './leases/hold/printed.ts';
import type { PublicLease } from './leases/hold/public-lease.ts';
import { mustRest } from './leases/release/rest.ts';
import { resume } from './leases/hand-over/resume.ts';
import type { LockHolder, LockState } from './lock-state.ts';
import type { Locks } from './locks.ts';
import { forceRelease, inspectKey, listKeys } from './leases/operator-calls.ts';
import type { TryResult } from './leases/acquire/try-result.ts';
import { BackgroundReleases } from './leases/release/background-releases.ts';
import { readWork, runUnder } from './leases/hold/with-lock.ts';
import type { Work } from './leases/hold/with-lock.ts';

/**
 * Takes locks through `provider`, which stays the caller's: `close` does not close it, unless
 * option `closeProvider` says so.
 * @throws `LOCK_MISCONFIGURED` for a wrong default or unmet `requires`.
 */
export function createLocks(provider: LockProvider, options: LocksOptions = {}): Locks {
  return new LockManager(provider, options, false);
}

const notFree = Symbol('not free');

/** At most so many keys are taken in one step. More keep a server from others for longer. */
const takenTogether = 100;

/** The `Locks` of `createLocks` and `openLocks`; the latter's owns its provider. */
export class LockManager implements Locks {
  static {
    printAs('Locks', LockManager.prototype);
  }

  readonly #host: AcquisitionHost;
  readonly #owned: boolean;
  readonly #defaults: Settings;
  readonly #tryDefaults: Settings;
  readonly #closeTimeout: number;
  readonly #drain: number;
  readonly #flow: Flow;
  readonly #keepAlive: KeepAlive;
  #slots: OncePerSlot | undefined = undefined;
  #closed: LockError | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(store: LockProvider, options: LocksOptions, owned: boolean) {
    checkProvider(store);
    const read = readLocksOptions(options);
    const { runtime } = read;
    const timers = new TimerWheel(runtime, false);
    const { tokenFloor: given } = read;
    const provider = given === undefined ? store : withFloor(store, new StoreFloor(store, runtime, { given }));
    checkRequires(provider, options.requires);
    if (owned && read.closeProvider === false) {
      const why = 'option "closeProvider" cannot be false, as nothing else could close the provider. Leave it out';
      throw misconfigured('openLocks', why);
    }
    this.#owned = owned || read.closeProvider === true;
    this.#defaults = read.settings;
    this.#tryDefaults = { ...read.settings, wait: 0 };
    this.#flow = new Flow(store, read.findDeadlocks);
    this.#closeTimeout = read.closeTimeout;
    this.#drain = read.drain;
    this.#keepAlive = new KeepAlive(runtime);
    const lookups = new HolderLookups(provider, runtime);
    this.#host = {
      provider,
      runtime,
      timers,
      waitTimers: new TimerWheel(runtime, true),
      releases: new BackgroundReleases(provider, runtime),
      leases: new LinkedSet(),
      drained: undefined,
      renewals: renewalsOf(provider, runtime.clock),
      signals: new AbortFollowers(),
      acquisitions: new LinkedSet(),
      lookups,
      ownWaits: this.#flow.misses ? this.#ownWaits(timers, read.slowWait) : undefined,
      slowWaits: new SlowWaits({ timers, provider, lookups, threshold: read.slowWait }),
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

  withLock<T>(key: string, options: AcquireOptions | undefined, work: Work<T>): Promise<T>;
  withLock<T>(key: string, work: Work<T>, options?: AcquireOptions): Promise<T>;
  withLock<T>(key: string, first: unknown, second?: unknown): Promise<T> {
    try {
      const [work, options] = readWork<T>('withLock', first, second);
      return this.#run(key, this.#settings(key, this.#defaults, options), work, false) as Promise<T>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryWithLock<T>(key: string, first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T>('tryWithLock', first, second);
    const settings = this.#settings(key, this.#tryDefaults, options);
    const value = await this.#run(key, settings, work, true);
    return value === notFree ? { held: false } : { held: true, value };
  }

  acquire(key: string, options?: AcquireOptions): Promise<Lease> {
    return this.#take(key, this.#defaults, options, false) as Promise<Lease>;
  }

  tryAcquire(key: string, options?: AcquireOptions): Promise<Lease | null> {
    return this.#take(key, this.#tryDefaults, options, true);
  }

  async resume(text: string): Promise<Lease> {
    this.#checkOpen();
    return await resume(this.#host, this, text, () => this.#closed);
  }

  mutex(key: string): KeyLockable {
    return new KeyLock(this, key, { mode: 'exclusive' });
  }

  readWriteLock(key: string): ReadWriteLock {
    return readWriteLock(this, key);
  }

  semaphore(key: string, permits: number, options: SemaphoreOptions = {}): Semaphore {
    return semaphore(this, this.#host.runtime.clock, this.#waits, { key, permits, options });
  }

  multiLock(parts: readonly (string | KeyLockable)[]): MultiLockable {
    return new MultiLock(this, this.#host.runtime.clock, this.#waits, parts);
  }

  elect(key: string, lead: Lead, options: ElectOptions = {}): Election {
    this.#checkOpen();
    const read = readElectOptions(options);
    return new Candidate(this.#host, this, this.#observer(key, { poll: read.poll }), lead, read);
  }

  leadership(key: string, options: LeadershipOptions = {}): Leadership {
    return this.#observer(key, readLeadershipOptions(options));
  }

  async once<T>(key: string, slot: string | EverySlot, first: unknown, second?: unknown): Promise<TryResult<T>> {
    this.#checkOpen();
    const [work, options = {}] = readWork<T, Lease, OnceOptions>('once', first, second);
    const { provider, runtime } = this.#host;
    this.#slots ??= new OncePerSlot({ provider, clock: runtime.clock, locks: this });
    return await this.#slots.run(key, slot, options, work);
  }

  async inspect(key: string): Promise<LockState> {
    this.#checkOpen();
    return await inspectKey(this.#host.provider, key);
  }

  async *list(prefix = ''): AsyncIterable<string> {
    this.#checkOpen();
    for await (const key of listKeys(this.#host.provider, prefix)) {
      yield key;
      this.#checkOpen();
    }
  }

  async forceRelease(holder: Pick<LockHolder, 'key' | 'owner' | 'mode'>): Promise<boolean> {
    this.#checkOpen();
    return await forceRelease(this.#host.provider, holder, this.#defaults.ttl);
  }

  toJSON(): Pick<Locks, 'name' | 'traits'> {
    return { name: this.name, traits: this.traits };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // What objects of several leases need.

  takeAll(keys: readonly string[], options: AcquireOptions): Promise<readonly PublicLease[] | undefined> | undefined {
    if (!takesAll(this.#host) || keys.length < 2 || keys.length > takenTogether) return undefined;
    const settings = this.#settings(keys[0] as string, this.#defaults, options);
    // A reentrant call asks for each key whether its context has it.
    return settings.reentrant ? undefined : new JointAttempt(this.#host, keys, settings).result;
  }

  async hold<T>(lease: PublicLease, options: HoldOptions, work: Work<T>): Promise<T> {
    const { shares = 1, waitForSelf = false, noted = false } = options;
    this.#keepAlive.begin();
    try {
      // As the settings of the calls that took the lease: they are not reentrant.
      const notes = noted || this.#flow.notes({ reentrant: false, waitForSelf });
      if (!notes) return await runUnder(lease, work);
      return await this.#flow.run(lease, { shares }, (held) => runUnder(held, work));
    } finally {
      this.#keepAlive.end();
    }
  }

  ownShares(key: string): number {
    return ownShares(this.#flow.current, key);
  }

  worksUnder(owner: string): boolean {
    return this.#flow.owners.has(owner);
  }

  get #waits(): DefaultWaits {
    return { wait: this.#defaults.wait, tryWait: this.#tryDefaults.wait };
  }

  #ownWaits(timers: TimerWheel, threshold: number): OwnWaits {
    const claims = (): readonly Acquisition[] =>
      this.#host.acquisitions.members().filter((each) => each instanceof Acquisition);
    return new OwnWaits({ timers, threshold, claims, leases: () => this.#host.leases.members() });
  }

  #observer(key: string, options: LeadershipOptions & { readonly poll: number }): Leadership {
    return new Observer(this.#host, (looked) => this.inspect(looked), key, options);
  }

  #settings(key: string, defaults: Settings, options: AcquireOptions | undefined): Settings {
    this.#checkOpen();
    checkKey(key);
    const settings = resolveSettings(defaults, options);
    mustRest(this.#host.provider, key, settings);
    if (settings.resize) mustResize(this.#host.provider);
    return settings;
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedError();
  }

  #join(key: string, { reentrant, mode, signal }: Settings): PublicLease | undefined {
    if (!reentrant) return undefined;
    signal?.throwIfAborted();
    return this.#flow.join(key, mode);
  }

  /**
   * Not an async function: its promise around the other's would cost a third of an in-memory
   * acquire.
   */
  #take(key: string, defaults: Settings, options: AcquireOptions | undefined, orNull: boolean): Promise<Lease | null> {
    try {
      const settings = this.#settings(key, defaults, options);
      const joined = this.#join(key, settings);
      return joined === undefined ? this.#acquire(key, settings, orNull) : Promise.resolve(joined);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #acquire(key: string, settings: Settings, orNull: boolean): Promise<PublicLease | null> {
    const inside = settings.waitForSelf ? undefined : this.#flow.current;
    return new Acquisition(this.#host, key, settings, orNull, inside).result;
  }

  async #run<T>(key: string, settings: Settings, work: Work<T>, orNot: boolean): Promise<T | typeof notFree> {
    this.#keepAlive.begin();
    try {
      const joined = this.#join(key, settings);
      if (joined !== undefined) return await runUnder(joined, work);
      const lease = await this.#acquire(key, settings, orNot);
      if (lease === null) return notFree;
      if (!this.#flow.notes(settings)) return await runUnder(lease, work);
      return await this.#flow.run(lease, settings, (hold) => runUnder(hold, work));
    } finally {
      this.#keepAlive.end();
    }
  }

  /** Work under leases ends, or has had its time. Work that calls `close` is not waited for. */
  async #drained(): Promise<void> {
    const own = this.#flow.owners;
    const { leases, runtime } = this.#host;
    let left = leases.members().filter(({ draining, owner }) => draining && !own.has(owner)).length;
    if (left === 0 || this.#drain === 0) return;
    const drained = new Promise<void>((resolve) => {
      this.#host.drained = (owner) => {
        if (!own.has(owner)) left -= 1;
        if (left === 0) resolve();
      };
    });
    await settledWithin(runtime, this.#drain, drained);
  }

  async #close(): Promise<void> {
    const reason = closedError();
    this.#closed = reason;
    const { acquisitions, leases, releases, runtime, timers, waitTimers, ownWaits, provider } = this.#host;
    const closeAll = (): void => {
      for (const acquisition of acquisitions.members()) acquisition.close(reason);
      for (const lease of leases.members()) lease.close(reason);
    };
    closeAll();
    await this.#drained();
    closeAll();
    const end = runtime.clock.now() + this.#closeTimeout;
    await settledWithin(runtime, this.#closeTimeout, releases.finished());
    releases.stop();
    ownWaits?.end();
    // A caller whose release has no answer yet hears when its hold has ended.
    if (timers.size === 0) timers.stop();
    waitTimers.stop();
    this.#keepAlive.stop();
    if (this.#owned) await settledWithin(runtime, Math.max(0, end - runtime.clock.now()), closeQuietly(provider));
  }
}
