import type { LockError } from '../errors/lock-error.ts';
import { closedError } from '../errors/messages.ts';
import { resolveSettings } from '../options/acquire-options.ts';
import type { AcquireOptions, Settings } from '../options/acquire-options.ts';
import { checkKey } from '../options/key.ts';
import { KeepAlive } from '../time/keep-alive.ts';
import type { AcquisitionHost } from './acquire/acquisition-host.ts';
import { Acquisition } from './acquire/acquisition.ts';
import { closeLocks } from './close-locks.ts';
import type { Closing } from './close-locks.ts';
import { PublicLease } from './hold/public-lease.ts';
import { lostDuringWork } from './hold/with-lock.ts';
import type { Work } from './hold/with-lock.ts';
import { ownShares } from './reenter/flow.ts';
import type { Flow, Noted } from './reenter/flow.ts';
import { mustRest } from './release/rest.ts';

export const notFree: unique symbol = Symbol('not free');

/** How work runs under a lease that was taken before. */
export interface HoldOptions extends Pick<AcquireOptions, 'waitForSelf'>, Pick<Noted, 'shares' | 'noted'> {}

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
    if (settings.atLeast > 0 || settings.lockDelay > 0) mustRest(this.#host.provider, key, settings);
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
      const joined = settings.reentrant ? this.#join(key, settings) : undefined;
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
    const call = { settings: { ...settings, wait: 0 }, orNull: true, within: settings.wait };
    return keys.map((key) => new Acquisition(this.#host, { ...call, key }).result);
  }

  /** Runs `work` under a lease of its own. With `orNot` it resolves to `notFree` without one. */
  run<T>(key: string, settings: Settings, work: Work<T>, orNot: boolean): Promise<T | typeof notFree> {
    const joined = settings.reentrant ? this.#join(key, settings) : undefined;
    return this.#under(
      joined ?? this.#acquire(key, settings, orNot),
      work,
      joined === undefined ? settings : undefined,
    );
  }

  /** Runs `work` under a lease that an object has taken. */
  hold<T>(lease: PublicLease, options: HoldOptions, work: Work<T>): Promise<T> {
    const { waitForSelf = false } = options;
    // As the settings of the calls that took the lease: they are not reentrant.
    return this.#under(lease, work, { ...options, waitForSelf, reentrant: false }) as Promise<T>;
  }

  /**
   * Runs `work` under a lease and releases the lease, whatever happens. Work is not interrupted. If
   * the lease was lost before work ended, another holder may have worked at the same time. The
   * caller must hear of it even when work succeeded. `noted`: how the asynchronous context of the
   * work notes the lease, if it does.
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

  #join(key: string, { mode, signal }: Settings): PublicLease | undefined {
    signal?.throwIfAborted();
    return this.#flow.join(key, mode);
  }

  #acquire(key: string, settings: Settings, orNull: boolean): Promise<PublicLease | null> {
    const inside = settings.waitForSelf ? undefined : this.#flow.current;
    return new Acquisition(this.#host, { key, settings, orNull, inside, within: settings.wait }).result;
  }
}

function nothing(): void {}
