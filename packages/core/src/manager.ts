import type { LockProvider, Traits } from './contract.ts';
import type { LockError } from './errors/lock-error.ts';
import { closedError } from './errors/messages.ts';
import { misconfigured } from './errors/lock-error.ts';
import type { Lease } from './lease.ts';
import { resolveSettings } from './options/acquire-options.ts';
import type { AcquireOptions, Settings } from './options/acquire-options.ts';
import { checkKey } from './options/key.ts';
import { readLocksOptions } from './options/locks-options.ts';
import type { LocksOptions } from './options/locks-options.ts';
import { withFloor } from './token-floor/with-floor.ts';
import { checkProvider, checkRequires } from './options/requirements.ts';
import { Candidate } from './objects/election/candidate.ts';
import type { Election, Lead, Leadership } from './objects/election/election.ts';
import { Observer } from './objects/election/observe.ts';
import { readElectOptions, readLeadershipOptions } from './objects/election/options.ts';
import type { ElectOptions, LeadershipOptions } from './objects/election/options.ts';
import type { KeyLockable, MultiLockable, ReadWriteLock, Semaphore } from './objects/lockable.ts';
import type { HoldOptions, JointCalls } from './objects/joint-calls.ts';
import { KeyLock } from './objects/key-lock.ts';
import { MultiLock } from './objects/multi-lock.ts';
import type { DefaultWaits } from './objects/multi-lock.ts';
import { Jobs } from './objects/jobs/once.ts';
import type { OnceResult } from './objects/jobs/once-call.ts';
import type { JobRun } from './job-run.ts';
import type { OnceOptions } from './objects/jobs/options.ts';
import type { Slot } from './objects/jobs/slots.ts';
import { readWriteLock, semaphore } from './objects/shared-objects.ts';
import type { AcquisitionHost } from './leases/acquire/acquisition-host.ts';
import { Acquisition } from './leases/acquire/acquisition.ts';
import { Flow, ownShares } from './leases/reenter/flow.ts';
import type { Noted } from './leases/reenter/flow.ts';
import { mustRest } from './leases/release/rest.ts';
import { createHost } from './leases/create-host.ts';
import { closeLocks } from './leases/close-locks.ts';
import type { Closing, Terms } from './leases/close-locks.ts';
import { printAs } from './leases/hold/printed.ts';
import { PublicLease } from './leases/hold/public-lease.ts';
import { resume } from './leases/hold/resume.ts';
import type { LockHolder, LockState } from './lock-state.ts';
import type { Locks } from './locks.ts';
import { forceRelease, inspectKey, listKeys } from './leases/operator-calls.ts';
import type { TryResult } from './leases/lock-calls.ts';
import { lostDuringWork, readWork } from './leases/hold/with-lock.ts';
import type { Work } from './leases/hold/with-lock.ts';
import { KeepAlive } from './time/keep-alive.ts';

const notFree: unique symbol = Symbol('not free');

/**
 * Creates a client for `provider`, which stays the caller's: `close` does not close it, unless
 * option `closeProvider` says so.
 * @throws `LOCK_MISCONFIGURED` for a wrong default or unmet `requires`.
 */
export function createLocks(provider: LockProvider, options: LocksOptions = {}): Locks {
  return new LockManager(provider, options, false);
}

/** The client of `createLocks` and `openLocks`; the latter's owns its provider. */
export class LockManager implements Locks, JointCalls {
  static {
    printAs('Locks', LockManager.prototype);
  }

  readonly #host: AcquisitionHost;
  readonly #defaults: Settings;
  readonly #tryDefaults: Settings;
  readonly #terms: Pick<Terms, 'drain' | 'closeTimeout' | 'owned'>;
  readonly #flow: Flow;
  readonly #keepAlive: KeepAlive;
  #jobCalls: Jobs | undefined = undefined;
  #closed: LockError | undefined = undefined;
  #closing: Closing | undefined = undefined;

  constructor(store: LockProvider, options: LocksOptions, owned: boolean) {
    checkProvider(store);
    const read = readLocksOptions(options);
    const { tokenFloor } = read;
    const provider = tokenFloor === undefined ? store : withFloor(store, tokenFloor);
    checkRequires(provider, options.requires);
    if (owned && read.closeProvider === false) {
      const why = 'option "closeProvider" cannot be false: nothing else can close the provider. Leave it out';
      throw misconfigured('openLocks', why);
    }
    const { drain, closeTimeout, closeProvider } = read;
    this.#terms = { drain, closeTimeout, owned: owned || closeProvider === true };
    this.#defaults = read.settings;
    this.#tryDefaults = { ...read.settings, wait: 0 };
    this.#flow = new Flow(store, read.findDeadlocks);
    this.#host = createHost(provider, read, this.#flow.misses);
    this.#keepAlive = new KeepAlive(read.runtime);
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

  semaphore(key: string, permits: number): Semaphore {
    return semaphore(this, this.#host.runtime.clock, this.#waits, key, permits);
  }

  multiLock(parts: readonly (string | KeyLockable)[]): MultiLockable {
    return new MultiLock(this, this.#host.runtime.clock, this.#waits, parts);
  }

  elect(key: string, lead: Lead, options: ElectOptions = {}): Election {
    this.#checkOpen();
    const { poll, ...read } = readElectOptions(options);
    const terms = { ...read, drain: this.#terms.drain };
    return new Candidate(this.#host, this, this.leadership(key, { poll }), lead, terms);
  }

  leadership(key: string, options: LeadershipOptions = {}): Leadership {
    const inspect = (looked: string): Promise<LockState> => this.inspect(looked);
    return new Observer(this.#host, inspect, key, readLeadershipOptions(options));
  }

  async once<T>(key: string, slot: Slot, first: unknown, second?: unknown): Promise<OnceResult<T>> {
    const jobs = this.#jobs;
    const [work, options = {}] = readWork<T, Lease, OnceOptions>('once', first, second);
    return await jobs.once(key, slot, options, work);
  }

  async job(key: string): Promise<JobRun | undefined> {
    return await this.#jobs.job(key);
  }

  async *jobs(): AsyncIterable<JobRun> {
    for await (const job of this.#jobs.jobs()) {
      yield job;
      this.#checkOpen();
    }
  }

  async retryJob(key: string): Promise<boolean> {
    return await this.#jobs.retry(key);
  }

  async forgetJob(key: string): Promise<boolean> {
    return await this.#jobs.forget(key);
  }

  get #jobs(): Jobs {
    this.#checkOpen();
    const { provider, runtime, acquisitions } = this.#host;
    const checkOpen = (): void => this.#checkOpen();
    return (this.#jobCalls ??= new Jobs({ provider, runtime, locks: this, acquisitions, checkOpen }));
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
    const { owners } = this.#flow;
    return owners.size === 0 ? this.#closing.closed : this.#closing.closedBut(owners);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  tryEach(keys: readonly string[], options: AcquireOptions): readonly Promise<PublicLease | null>[] | undefined {
    if (keys.length < 2) return undefined;
    const settings = this.#settings(keys[0] as string, this.#defaults, options);
    // A reentrant call checks for each key whether its context holds it.
    if (settings.reentrant) return undefined;
    const call = { settings: { ...settings, wait: 0 }, orNull: true, within: settings.wait };
    return keys.map((key) => new Acquisition(this.#host, { ...call, key }).result);
  }

  hold<T>(lease: PublicLease, options: HoldOptions, work: Work<T>): Promise<T> {
    const { waitForSelf = false } = options;
    // As the settings of the calls that took the lease: they are not reentrant.
    return this.#under(lease, work, { ...options, waitForSelf, reentrant: false }) as Promise<T>;
  }

  ownShares(key: string): number {
    return ownShares(this.#flow.current, key);
  }

  worksUnder(owner: string): boolean {
    return this.#flow.owners.has(owner);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedError();
  }

  #close(): Closing {
    this.#closed = closedError();
    const written = async (): Promise<void> => await this.#jobCalls?.recorded();
    const closing = closeLocks(this.#host, this.#closed, { ...this.#terms, written });
    void closing.closed.then(() => this.#keepAlive.stop());
    return closing;
  }

  #settings(key: string, defaults: Settings, options: AcquireOptions | undefined): Settings {
    this.#checkOpen();
    checkKey(key);
    const settings = resolveSettings(defaults, options);
    if (settings.atLeast > 0 || settings.lockDelay > 0) mustRest(this.#host.provider, key, settings);
    return settings;
  }

  /** Not an async function: an extra promise would cost a third of an in-memory acquire. */
  #take(
    key: string,
    defaults: Settings,
    options: AcquireOptions | undefined,
    orNull: boolean,
  ): Promise<PublicLease | null> {
    try {
      const settings = this.#settings(key, defaults, options);
      const joined = settings.reentrant ? this.#join(key, settings) : undefined;
      return joined === undefined ? this.#acquire(key, settings, orNull) : Promise.resolve(joined);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** With `orNot` it resolves to `notFree` without a lease. */
  #run<T>(key: string, settings: Settings, work: Work<T>, orNot: boolean): Promise<T | typeof notFree> {
    const joined = settings.reentrant ? this.#join(key, settings) : undefined;
    return this.#under(
      joined ?? this.#acquire(key, settings, orNot),
      work,
      joined === undefined ? settings : undefined,
    );
  }

  /**
   * Runs `work` under a lease and always releases the lease. Work is not interrupted. If the lease
   * was lost before work ended, another holder may have worked simultaneously, so the caller must
   * learn of it even if work succeeded. `noted`: how the asynchronous context of the work records
   * the lease, if it does.
   */
  async #under<T>(
    taken: PublicLease | Promise<PublicLease | null>,
    work: Work<T>,
    noted: Noted | undefined,
  ): Promise<T | typeof notFree> {
    this.#keepAlive.begin();
    try {
      const lease = taken instanceof PublicLease ? taken : await taken;
      if (lease === null) return notFree;
      if (noted !== undefined && this.#flow.notes(noted)) {
        return await this.#flow.run(lease, noted, (hold) => this.#under(hold, work, undefined));
      }
      const under = PublicLease.underWork(lease);
      under.beginWork();
      let result: T;
      try {
        result = await work(lease);
      } catch (error) {
        const { lost, freed } = under.endWork();
        await freed.catch(nothing);
        throw lost === undefined || error === lost ? error : lostDuringWork(lost, { cause: error });
      }
      const { lost, freed } = under.endWork();
      await freed.catch(nothing);
      if (lost !== undefined) throw lostDuringWork(lost, { cause: lost, result });
      return result;
    } finally {
      this.#keepAlive.end();
    }
  }

  #join(key: string, { mode, signal }: Settings): PublicLease | undefined {
    signal?.throwIfAborted();
    return this.#flow.join(key, mode);
  }

  #acquire(key: string, settings: Settings, orNull: boolean): Promise<PublicLease | null> {
    const inside = settings.waitForSelf ? undefined : this.#flow.current;
    return new Acquisition(this.#host, { key, settings, orNull, inside }).result;
  }

  get #waits(): DefaultWaits {
    return { wait: this.#defaults.wait, tryWait: this.#tryDefaults.wait };
  }
}

function nothing(): void {}
