import { LockError, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import type { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

/** A server that can be down, and come back empty. */
export class RestartingServer {
  readonly #runtime: VirtualRuntime;
  #store;
  #isUp = true;
  #closedUntil = 0;

  constructor(runtime: VirtualRuntime) {
    this.#runtime = runtime;
    this.#store = createMemoryStore({ runtime });
  }

  stop(): void {
    this.#isUp = false;
  }

  /** It is there again without its data, and grants nothing for `guard` ms. */
  comeBackEmpty(guard = 0): void {
    this.#store = createMemoryStore({ runtime: this.#runtime });
    this.#closedUntil = this.#runtime.time + guard;
    this.#isUp = true;
  }

  /** A process's way to it. */
  open(): LockProvider {
    let store = this.#store;
    let provider = createMemoryProvider({ store });
    const { name, traits } = provider;
    const at = async (isAttempt = false): Promise<LockProvider> => {
      const closed = isAttempt && this.#runtime.time < this.#closedUntil;
      if (!this.#isUp || closed) throw new LockError('LOCK_UNAVAILABLE', 'It is down.', { sent: false });
      if (store !== this.#store) {
        store = this.#store;
        provider = createMemoryProvider({ store });
      }
      return provider;
    };
    return {
      name,
      traits,
      tryAcquire: async (claim, wake) => await (await at(true)).tryAcquire(claim, wake),
      renew: async (claim, token) => await (await at()).renew(claim, token),
      release: async (claim) => await (await at()).release(claim),
      inspect: async (key) => await (await at()).inspect(key),
      close: async () => await provider.close(),
    };
  }
}

/** Moves time on until `promise` has settled. Gives what it gave. */
export async function within<T>(runtime: VirtualRuntime, promise: Promise<T>): Promise<T> {
  const watched = watch(promise);
  for (let ms = 0; watched.state === 'open' && ms < 20_000; ms += 1) await runtime.advance(1);
  return await promise;
}
