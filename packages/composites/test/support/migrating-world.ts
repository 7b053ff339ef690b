import { expect, onTestFinished } from 'vitest';
import { createLocks } from '../../../core/src/index.ts';
import type { Lease, LockProvider, Locks } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { MigrateOptions, Phase, PhaseWord } from '../../src/index.ts';
import { readStatus } from '../../src/migrate/read-status.ts';
import type { MigrationStatus } from '../../src/migrate/status.ts';
import type { MigratingProvider } from '../../src/migrate/migrate.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { RestartingServer } from './restarting-server.ts';

export const presenceTtl = 3_000;

export interface MovingProcess {
  /** What its operator tells it. */
  phase: PhaseWord;
  readonly runtime: VirtualRuntime;
  readonly locks: Locks;
  /** What it takes locks in. */
  readonly place: Phase;
}

export interface Given extends Partial<MigrateOptions> {
  readonly stores?: readonly [RestartingServer, RestartingServer];
  readonly made?: typeof migrate;
  readonly ttl?: number;
}

export type MovingWorld = ReturnType<typeof movingWorld>;

/** Processes that move between stores, in virtual time. `ahead`: of the first clock, in ms. */
export function movingWorld(ahead = 0) {
  const runtime = new VirtualRuntime();
  const from = new RestartingServer(runtime, ahead);
  const to = new RestartingServer(runtime);
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
    plain(store: RestartingServer, label = 'plain'): Locks {
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
