import { createLocks, createMemoryProvider, createMemoryStore } from '../../../src/index.ts';
import type { LockProvider, Locks, LocksOptions } from '../../../src/index.ts';
import { VirtualRuntime } from '../../support/virtual-runtime.ts';

/** Processes on one store in virtual time, and slots of one minute. */
export interface Fleet {
  readonly runtime: VirtualRuntime;
  /** A further process. */
  process(options?: LocksOptions): Locks;
  provider(): LockProvider;
  /** The time that a schedule of each minute names: `round` minutes after the present one. */
  slot(round: number): Date;
  /** Ms of work. */
  pause(ms: number): Promise<void>;
}

const minute = 60_000;

/** The store's clock is at a full minute. */
export async function createFleet(): Promise<Fleet> {
  const runtime = new VirtualRuntime();
  const store = createMemoryStore({ runtime });
  const provider = (): LockProvider => createMemoryProvider({ store });
  const time = (): number => runtime.clock.origin + runtime.clock.now();
  const start = Math.ceil(time() / minute) * minute;
  await runtime.advance(start - time());
  return {
    runtime,
    provider,
    process: (options = {}) => createLocks(provider(), { ...options, runtime }),
    slot: (round) => new Date(start + round * minute),
    pause: (ms) => new Promise((resolve) => runtime.setTimer(resolve, ms, true)),
  };
}
