import { LockError, isLockError } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import { StoreCalls } from './connections/store-calls.ts';
import type { StoreCallsParts } from './connections/store-calls.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { PlainStore } from './dialect/stores/plain-store.ts';
import { Sweeper } from './sweep/sweeper.ts';

/** What a provider is made of. */
interface PlainProviderParts extends StoreCallsParts {
  readonly dialect: Dialect;
  readonly store: PlainStore;
}

/**
 * Exclusive locks in one table of four columns, without stored routines: an optimistic lock on a
 * version column. There is no line; core polls.
 */
export class PlainProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly #store: PlainStore;
  readonly #calls: StoreCalls;
  readonly #sweeper: Sweeper | undefined;
  /**
   * The answer to a claim that comes too late. Without `pollInterval` core polls at its own pace.
   */
  readonly #busy: Busy;

  constructor(parts: PlainProviderParts) {
    const { dialect, store, options, runtime } = parts;
    const { tokenRetention, pollInterval } = options;
    this.name = dialect.name;
    this.traits = {
      scope: dialect.scope,
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair: false,
      shared: false,
      wake: false,
    };
    this.#store = store;
    this.#calls = new StoreCalls(parts);
    this.#busy = pollInterval === undefined ? { granted: false } : { granted: false, retryAfter: pollInterval };
    this.#sweeper = options.sweep ? new Sweeper(runtime, tokenRetention, (after) => this.#sweep(after)) : undefined;
  }

  /** Resolves when the database answers, and has the table. Its caller sets the limit. */
  async connect(): Promise<void> {
    await this.#calls.connect();
  }

  async tryAcquire(claim: Claim): Promise<Grant | Busy> {
    this.#calls.checkOpen();
    if (claim.mode === 'shared') throw exclusiveOnly(claim.key);
    this.#sweeper?.start();
    const about = { what: 'an acquire', claim };
    const token = await this.#calls.run((connection) => this.#store.acquire(connection, claim), about);
    return token === undefined ? this.#busy : { granted: true, token };
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    const about = { what: 'a renewal', claim, first: true };
    const renewed = await this.#calls.run((connection) => this.#store.renew(connection, claim, token), about);
    return renewed ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    const about = { what: 'a release', claim, first: true };
    return await this.#calls.run((connection) => this.#store.release(connection, claim), about);
  }

  async inspect(key: string): Promise<KeyState> {
    return await this.#calls.inspect(key);
  }

  time(): Promise<number> {
    return this.#calls.time();
  }

  register(name: string, change?: RegisterChange): Promise<string | undefined> {
    return this.#calls.register(name, change);
  }

  /** In the order of their bytes: a key that is held throughout is listed. */
  list(prefix: string): AsyncIterable<string> {
    return this.#calls.list(prefix);
  }

  async close(): Promise<void> {
    this.#sweeper?.stop();
    await this.#calls.close();
  }

  async #sweep(after: string): Promise<string | undefined> {
    try {
      return (await this.#calls.sweep(after)).next;
    } catch (error) {
      // A server that refuses DELETE would write a line into its log each time.
      if (isLockError(error, 'LOCK_MISCONFIGURED')) this.#sweeper?.stop();
      throw error;
    }
  }
}

function exclusiveOnly(key: string): LockError {
  return new LockError(
    'LOCK_INVALID',
    `${JSON.stringify(key)} cannot be shared: the trait "shared" is false, because option "routines" is false. Take the key exclusively, or migrate the table and leave the option out.`,
    { key },
  );
}
