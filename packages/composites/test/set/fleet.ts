import { onTestFinished } from 'vitest';
import { LockError, createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider, Locks, MemoryStore } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

/** One process, and what it can do to its stores. */
export interface Process {
  readonly runtime: VirtualRuntime;
  readonly provider: LockProvider;
  readonly locks: Locks;
}

/** Stores of one world, by one letter each. */
export class World {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly #stores = new Map<string, MemoryStore>();
  /** How many calls all members got. */
  calls = 0;
  /** How many of these asked for a register. */
  registers = 0;
  /** Stores that do not answer. */
  readonly silent = new Set<string>();
  /** Stores that refuse connections. */
  readonly refusing = new Set<string>();

  store(name: string): MemoryStore {
    const store = this.#stores.get(name) ?? createMemoryStore({ runtime: this.runtime });
    this.#stores.set(name, store);
    return store;
  }

  /** The store comes back without its data. */
  empty(name: string): void {
    this.#stores.delete(name);
  }

  /** A member that follows the store of that name. */
  member(name: string): LockProvider {
    const call = <T>(send: (provider: LockProvider) => Promise<T>): Promise<T> => {
      this.calls += 1;
      if (this.silent.has(name)) return this.#noAnswer();
      if (this.refusing.has(name))
        return Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no connection', { sent: false }));
      return send(createMemoryProvider({ store: this.store(name) }));
    };
    const { traits } = createMemoryProvider();
    return {
      name: 'memory',
      traits,
      tryAcquire: (claim, wake) => call((provider) => provider.tryAcquire(claim, wake)),
      renew: (claim, token) => call((provider) => provider.renew(claim, token)),
      release: (claim) => call((provider) => provider.release(claim)),
      inspect: (key) => call((provider) => provider.inspect(key)),
      list: (prefix) => createMemoryProvider({ store: this.store(name) }).list?.(prefix) ?? (async function* () {})(),
      register: (register, change) => {
        this.registers += 1;
        return call((provider) => provider.register?.(register, change) ?? Promise.resolve(undefined));
      },
      close: () => Promise.resolve(),
    };
  }

  /** What a provider makes of a server that does not answer. */
  #noAnswer(): Promise<never> {
    return new Promise((_, reject) => {
      this.runtime.setTimer(() => reject(new LockError('LOCK_UNAVAILABLE', 'no answer')), 5_000, false);
    });
  }

  /** A process whose members are these, one letter each. */
  start(members: string | readonly LockProvider[], options: CombineOptions = {}): Process {
    const runtime = new VirtualRuntime({ with: this.runtime });
    const all = typeof members === 'string' ? members.split('').map((name) => this.member(name)) : members;
    const provider = combine(all, { runtime, memberTimeout: 100, ...options });
    const locks = createLocks(provider, { runtime, ttl: 10_000 });
    onTestFinished(async () => {
      const closed = Promise.all([locks.close(), provider.close()]);
      await this.runtime.advance(60_000);
      await closed;
    });
    return { runtime, provider, locks };
  }
}
