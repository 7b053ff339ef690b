import { onTestFinished } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import type { AdapterConfig, LockProvider, Locks, LocksConfig, Traits } from '../../../core/src/index.ts';
import * as combination from '../../src/open/combine.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { through } from '../../../core/test/support/through.ts';

/** An adapter whose server the test starts and stops. */
export class Adapter {
  /** What opening rejects with; `undefined`: it opens. */
  down: unknown = undefined;
  /** What opening waits for. */
  hangs: Promise<void> | undefined = undefined;
  /** What calls to an open provider reject with. */
  lost: unknown = undefined;
  opened = 0;
  closed = 0;
  readonly #traits: Partial<Traits>;
  readonly #store: ReturnType<typeof createMemoryStore>;

  constructor(runtime: VirtualRuntime, traits: Partial<Traits> = {}) {
    this.#traits = traits;
    this.#store = createMemoryStore({ runtime });
  }

  readonly fromConfig = async ({ runtime }: AdapterConfig): Promise<LockProvider> => {
    await this.hangs;
    if (this.down !== undefined) throw this.down as Error;
    this.opened += 1;
    const provider = createMemoryProvider({ store: this.#store, runtime });
    const unlessLost = async <T>(call: () => Promise<T>): Promise<T> => {
      if (this.lost !== undefined) throw this.lost as Error;
      return await call();
    };
    return {
      ...through(provider, unlessLost),
      traits: { ...provider.traits, ...this.#traits },
      close: async () => {
        this.closed += 1;
        await provider.close();
      },
    };
  };
}

export const refused = (text = 'connect ECONNREFUSED'): LockError => new LockError('LOCK_UNAVAILABLE', text);

export function setting(...traits: readonly Partial<Traits>[]) {
  const runtime = new VirtualRuntime();
  const adapters = [0, 1, 2].map((index) => new Adapter(runtime, traits[index]));
  const [first, second, third] = adapters as [Adapter, Adapter, Adapter];
  const messages = listen('locks:member');
  const config = (options: object = {}, more: LocksConfig = {}): LocksConfig => ({
    // The module, as to import it by its name takes real time.
    provider: combination,
    runtime,
    ...more,
    options: { members: adapters.map((provider) => ({ provider })), ...options },
  });
  const open = async (options: object = {}, more: LocksConfig = {}): Promise<Locks> => {
    const locks = await openLocks(config(options, more));
    onTestFinished(async () => {
      const closing = locks.close();
      await runtime.advance(10_000);
      await closing;
    });
    return locks;
  };
  return { runtime, first, second, third, messages, config, open };
}
