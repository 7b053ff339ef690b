import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import type { Locks, LocksOptions } from '../../src/index.ts';
import { VirtualRuntime } from './virtual-runtime.ts';

/** Two processes with one store, in virtual time. */
export interface TwoProcesses {
  readonly runtime: VirtualRuntime;
  readonly one: Locks;
  readonly two: Locks;
}

/** Makes them. */
export function twoProcesses(options: LocksOptions = {}): TwoProcesses {
  const runtime = new VirtualRuntime();
  const store = createMemoryStore({ runtime });
  const make = (): Locks =>
    createLocks(createMemoryProvider({ store }), { ttl: 1_000, closeProvider: true, ...options, runtime });
  return { runtime, one: make(), two: make() };
}
