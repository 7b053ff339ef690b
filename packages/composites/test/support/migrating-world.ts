import { expect, onTestFinished } from 'vitest';
import { LockError, createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import type { Lease, LockProvider, Locks } from '../../../core/src/index.ts';
import { clockAhead } from '../../../core/test/support/replaced.ts';
import { migrate } from '../../src/index.ts';
import type { MigrateOptions, Phase, PhaseWord } from '../../src/index.ts';
import { readStatus } from '../../src/migrate/read-status.ts';
import type { MigrationStatus } from '../../src/migrate/status.ts';
import type { MigratingProvider } from '../../src/migrate/migrate.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

export const presenceTtl = 3_000;

/** A server that can be down, or lose its data, and whose clock may be off. */
export class MovingStore {
  readonly #runtime: VirtualRuntime;
  /** How far its clock is ahead, in ms. */
  readonly #ahead: number;
  #store;
  down = false;

  constructor(runtime: VirtualRuntime, ahead = 0) {
    this.#runtime = runtime;
    this.#ahead = ahead;
    this.#store = this.#make();
  }

  empty(): void {
    this.#store = this.#make();
  }

  /** A process's connection. */
  open(): LockProvider {
    let store = this.#store;
    let provider = createMemoryProvider({ store });
    const now = async (): Promise<LockProvider> => {
      if (this.down) throw new LockError('LOCK_UNAVAILABLE', 'The store is down.', { sent: false });
      if (store !== this.#store) {
        store = this.#store;
        provider = createMemoryProvider({ store });
      }
      return provider;
    };
    return {
      name: 'memory',
      traits: provider.traits,
      tryAcquire: async (claim, wake) => await (await now()).tryAcquire(claim, wake),
      renew: async (claim, token) => await (await now()).renew(claim, token),
      release: async (claim) => await (await now()).release(claim),
      inspect: async (key) => await (await now()).inspect(key),
      time: async () => (await (await now()).time?.()) ?? 0,
      register: async (...call) => await (await now()).register?.(...call),
      async *list(prefix) {
        yield* (await now()).list?.(prefix) ?? [];
      },
      close: async () => {},
    };
  }

  #make(): ReturnType<typeof createMemoryStore> {
    return createMemoryStore({ runtime: clockAhead(this.#runtime, this.#ahead) });
  }
}

export interface MovingProcess {
  /** What its operator tells it. */
  phase: PhaseWord;
  readonly runtime: VirtualRuntime;
  readonly locks: Locks;
  /** What it takes locks in. */
  readonly place: Phase;
}

export interface Given extends Partial<MigrateOptions> {
  readonly stores?: readonly [MovingStore, MovingStore];
  readonly made?: typeof migrate;
  readonly ttl?: number;
}

export type MovingWorld = ReturnType<typeof movingWorld>;

/** Processes that move between stores, in virtual time. `ahead`: of the first clock, in ms. */
export function movingWorld(ahead = 0) {
  const runtime = new VirtualRuntime();
  const from = new MovingStore(runtime, ahead);
  const to = new MovingStore(runtime);
  const world = {
    runtime,
    from,
    to,
    process(label: string, phase: PhaseWord, given: Given = {}): MovingProcess {
      const { stores = [from, to], made = migrate, ttl = 2_000, ...more } = given;
      const own = new VirtualRuntime({ with: runtime });
      const process = { phase };
      const [one, other] = stores.map((store) => store.open()) as [LockProvider, LockProvider];
      const options = { name: 'm', from: one, to: other, label, presenceTtl, runtime: own, memberTimeout: 200 };
      const provider = made({ ...options, phase: () => process.phase, timeout: 1_000, ...more });
      const locks = createLocks(provider, { ttl, label, runtime: own, closeProvider: true });
      onTestFinished(() => world.end(locks));
      return Object.defineProperties(process, {
        runtime: { value: own },
        locks: { value: locks },
        place: { get: () => (provider as MigratingProvider).keeper.scope().phase },
      }) as MovingProcess;
    },
    /** A process without `migrate`. */
    plain(store: MovingStore, label = 'plain'): Locks {
      const locks = createLocks(store.open(), { ttl: 2_000, label, runtime });
      onTestFinished(() => world.end(locks));
      return locks;
    },
    async end(locks: Locks): Promise<void> {
      await world.settled(locks.close(), 30_000);
    },
    /** What `call` gives, within `limit` ms. */
    async settled<T>(call: Promise<T>, limit = 15_000): Promise<T> {
      let isSettled = false;
      const settle = (): void => void (isSettled = true);
      call.then(settle, settle);
      for (let passed = 0; !isSettled && passed < limit; passed += 10) await runtime.advance(10);
      expect(isSettled, `settled within ${limit} ms`).toBe(true);
      return await call;
    },
    /** Ms until `check` holds. */
    async until(check: () => boolean, limit = 30_000): Promise<number> {
      const start = runtime.time;
      while (!check() && runtime.time < start + limit) await runtime.advance(10);
      expect(check(), `${String(check)} within ${limit} ms`).toBe(true);
      return runtime.time - start;
    },
    take: (process: MovingProcess | Locks, key: string): Promise<Lease | null> =>
      world.settled(('locks' in process ? process.locks : process).tryAcquire(key)),
    async token(process: MovingProcess | Locks, key: string): Promise<bigint> {
      const lease = await world.settled(('locks' in process ? process.locks : process).acquire(key));
      await world.settled(lease.release());
      return lease.token;
    },
    async status(more: { readonly expected?: number; readonly name?: string } = {}): Promise<MigrationStatus> {
      const stores = { from: from.open(), to: to.open() };
      return await world.settled(readStatus({ name: 'm', expected: undefined, ...more, stores, runtime }));
    },
    /** Why not all are in `phase`. */
    async obstacles(phase: Phase, expected?: number): Promise<readonly string[]> {
      const { obstacles } = await world.status(expected === undefined ? {} : { expected });
      return obstacles[phase].map(({ what }) => what);
    },
  };
  return world;
}
