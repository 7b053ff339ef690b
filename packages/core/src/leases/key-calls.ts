import type { LockError } from '../errors/lock-error.ts';
import { closedError } from '../errors/messages.ts';
import type { HoldOptions } from '../objects/joint-calls.ts';
import { resolveSettings } from '../options/acquire-options.ts';
import type { AcquireOptions, Settings } from '../options/acquire-options.ts';
import { checkKey } from '../options/key.ts';
import { KeepAlive } from '../time/keep-alive.ts';
import type { AcquisitionHost } from './acquire/acquisition-host.ts';
import { Acquisition } from './acquire/acquisition.ts';
import { closeLocks } from './ending/close-locks.ts';
import type { Closing } from './ending/close-locks.ts';
import type { PublicLease } from './hold/public-lease.ts';
import { runUnder } from './hold/with-lock.ts';
import type { Work } from './hold/with-lock.ts';
import { ownShares } from './reenter/flow.ts';
import type { Flow } from './reenter/flow.ts';
import { mustRest } from './release/rest.ts';

export const notFree: unique symbol = Symbol('not free');

/** What takes keys and runs work under them, in the asynchronous context of its caller. */
export class KeyCalls {
  readonly #host: AcquisitionHost;
  readonly #flow: Flow;
  readonly #keepAlive: KeepAlive;
  #closed: LockError | undefined = undefined;

  constructor(host: AcquisitionHost, flow: Flow) {
    this.#host = host;
    this.#flow = flow;
    this.#keepAlive = new KeepAlive(host.runtime);
  }

  get closed(): LockError | undefined {
    return this.#closed;
  }

  checkOpen(): void {
    if (this.#closed !== undefined) throw closedError();
  }

  /** What a call with `options` on `key` is to do. Throws `LOCK_INVALID`. */
  settings(key: string, defaults: Settings, options: AcquireOptions | undefined): Settings {
    this.checkOpen();
    checkKey(key);
    const settings = resolveSettings(defaults, options);
    mustRest(this.#host.provider, key, settings);
    return settings;
  }

  /**
   * With `orNull` it resolves to `null` where the key is not free. Not an async function: its
   * promise around the other's would cost a third of an in-memory acquire.
   */
  take(
    key: string,
    defaults: Settings,
    options: AcquireOptions | undefined,
    orNull: boolean,
  ): Promise<PublicLease | null> {
    try {
      const settings = this.settings(key, defaults, options);
      const joined = this.#join(key, settings);
      return joined === undefined ? this.#acquire(key, settings, orNull) : Promise.resolve(joined);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * One attempt for each of `keys`, all in this tick, without a position. It may take as long as
   * the call may wait. `null`: that key is not free. `undefined`: these are not taken so.
   */
  tryEach(
    keys: readonly string[],
    defaults: Settings,
    options: AcquireOptions,
  ): readonly Promise<PublicLease | null>[] | undefined {
    if (keys.length < 2) return undefined;
    const settings = this.settings(keys[0] as string, defaults, options);
    // A reentrant call asks for each key whether its context has it.
    if (settings.reentrant) return undefined;
    const once = { ...settings, wait: 0 };
    return keys.map((key) => new Acquisition(this.#host, key, once, true, { within: settings.wait }).result);
  }

  /** Runs `work` under a lease of its own. With `orNot` it resolves to `notFree` without one. */
  async run<T>(key: string, settings: Settings, work: Work<T>, orNot: boolean): Promise<T | typeof notFree> {
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

  /** Runs `work` under a lease that an object has taken. */
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

  async close(terms: Omit<Closing, 'own'>): Promise<void> {
    this.#closed = closedError();
    await closeLocks(this.#host, this.#closed, { ...terms, own: this.#flow.owners });
    this.#keepAlive.stop();
  }

  #join(key: string, { reentrant, mode, signal }: Settings): PublicLease | undefined {
    if (!reentrant) return undefined;
    signal?.throwIfAborted();
    return this.#flow.join(key, mode);
  }

  #acquire(key: string, settings: Settings, orNull: boolean): Promise<PublicLease | null> {
    const inside = settings.waitForSelf ? undefined : this.#flow.current;
    return new Acquisition(this.#host, key, settings, orNull, { inside }).result;
  }
}
