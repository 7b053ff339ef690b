import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '../contract.ts';
import { providerClosed } from '../errors/messages.ts';
import { refusalOf } from '../errors/refusals.ts';
import type { KeyRules } from '../key/admission.ts';
import { acquire, inspect, release, renew } from '../key/calls.ts';
import type { Place } from '../key/record.ts';
import { checkRegister } from '../options/register.ts';
import type { OptionReaders } from '../options/option-reader.ts';
import { withMethods } from '../options/option-readers.ts';
import { readOptions } from '../options/read-options.ts';
import { MemoryStorage, memorySource, storeReaders } from './store.ts';
import type { Contact, MemoryStore, MemoryStoreOptions } from './store.ts';

/** Options of a memory provider. The others apply to its own store, without `store`. */
export interface MemoryOptions extends MemoryStoreOptions {
  /** A store shared with other providers, as processes share a server. @default a separate one */
  readonly store?: MemoryStore | undefined;
}

const memoryReaders: OptionReaders<Omit<MemoryOptions, 'store'> & { readonly store?: MemoryStorage }> = {
  ...storeReaders,
  store: withMethods<MemoryStorage>('a store of createMemoryStore', 'now', 'keys', 'waitersOf'),
};

/**
 * Locks within one process: for tests, demos, and services with one process.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function createMemoryProvider(options: MemoryOptions = {}): LockProvider {
  const { store, ...own } = readOptions(memoryReaders, options, memorySource);
  return new MemoryProvider(store ?? new MemoryStorage(own));
}

class MemoryProvider implements LockProvider {
  readonly name = 'memory';
  readonly traits: Traits = {
    scope: 'process',
    expiry: 'ttl',
    fencing: 'clock-bounded',
    fair: true,
    shared: true,
    wake: true,
  };
  readonly #store: MemoryStorage;
  readonly #rules: KeyRules;
  #closed = false;

  constructor(store: MemoryStorage) {
    this.#store = store;
    const { waiterTtl, leastToken } = store;
    this.#rules = { waiterTtl, leastToken };
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#call((now) => this.#attempt(claim, wake, now));
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#call((now) => this.#extend(claim, token, now));
  }

  release(claim: Claim): Promise<boolean> {
    return this.#call((now) => this.#giveUp(claim, now));
  }

  inspect(key: string): Promise<KeyState> {
    return this.#call((now) => this.#look(key, now));
  }

  time(): Promise<number> {
    return this.#call((now) => this.#store.epoch(now));
  }

  register(name: string, change?: RegisterChange): Promise<string | undefined> {
    return this.#call(() => {
      checkRegister(name, change);
      return this.#store.register(name, change);
    });
  }

  async *list(prefix: string): AsyncIterable<string> {
    if (this.#closed) throw providerClosed(this.name);
    const { runtime } = this.#store;
    for (const key of this.#store.keys(prefix)) {
      yield key;
      await runtime.yieldIfDue?.(runtime.clock.now());
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiter of this.#store.waitersOf(this)) {
      queueMicrotask(waiter.contact.wake);
      // Its position stays until it lapses, like that of a dead process.
      waiter.contact = { wake: nothing, provider: this };
    }
  }

  /**
   * A loop of awaited calls would starve the rest of the process. Not an async function: its
   * objects would cost a tenth of the call.
   */
  #call<T>(work: (now: number) => T): Promise<T> {
    const { runtime } = this.#store;
    const now = runtime.clock.now();
    const due = runtime.yieldIfDue?.(now);
    try {
      if (this.#closed) throw providerClosed(this.name);
      const answer = work(now);
      return due === undefined ? Promise.resolve(answer) : due.then(() => answer);
    } catch (error) {
      if (due === undefined) return Promise.reject(error);
      return due.then(() => {
        throw error;
      });
    }
  }

  #attempt(claim: Claim, wake: (() => void) | undefined, now: number): Grant | Busy {
    const record = this.#store.findOrAdd(claim.key);
    const contact = wake && { wake, provider: this };
    const answer = acquire(record, claim, contact, now, this.#rules, tell);
    if (answer.granted === true) return answer;
    this.#store.tidy(record, now);
    if (answer.granted === undefined) throw refusalOf(answer, claim);
    return answer;
  }

  #extend(claim: Claim, token: bigint | undefined, now: number): Renewal | false {
    const record = this.#store.find(claim.key);
    if (record === undefined) return false;
    const answer = renew(record, claim, token, now, this.#rules, tell);
    this.#store.tidy(record, now);
    return answer;
  }

  #giveUp(claim: Claim, now: number): boolean {
    const record = this.#store.find(claim.key);
    if (record === undefined) return false;
    const answer = release(record, claim, now, this.#rules, tell);
    this.#store.tidy(record, now);
    return answer;
  }

  #look(key: string, now: number): KeyState {
    const record = this.#store.find(key);
    if (record === undefined) return { key, holders: [], waiters: 0 };
    const state = inspect(record, now);
    this.#store.tidy(record, now);
    return { key, ...state };
  }
}

const soon = Promise.resolve();

function nothing(): void {}

/** Never synchronous: the caller must not run the code of the waiter. */
function tell(waiter: Place<Contact>): void {
  // In Node, queueMicrotask costs ten times as much. A close may replace the contact meanwhile.
  void soon.then(() => waiter.contact.wake());
}
