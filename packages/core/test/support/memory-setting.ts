import { createMemoryProvider } from '../../src/index.ts';
import { MemoryStorage } from '../../src/memory/store.ts';
import type { Claim, LockProvider } from '../../src/index.ts';
import { VirtualRuntime } from './virtual-runtime.ts';

/** A memory store in virtual time, with a provider on it. */
export interface MemorySetting {
  readonly runtime: VirtualRuntime;
  readonly store: MemoryStorage;
  readonly provider: LockProvider;
}

/** How long a position in the queue lasts in these settings. */
export const waiterTtl = 600;

export function createMemorySetting(): MemorySetting {
  const runtime = new VirtualRuntime();
  const store = new MemoryStorage({ runtime, waiterTtl });
  return { runtime, store, provider: createMemoryProvider({ store }) };
}

/** A claim with a ttl of 1 s. */
export function claimOf(owner: string, more: Partial<Claim> = {}): Claim {
  return { key: 'key', owner, ttl: 1_000, mode: 'exclusive', ...more };
}

/** Wakes, by the name of who was woken. */
export function createWakes() {
  const woken: string[] = [];
  return { woken, of: (name: string) => () => void woken.push(name) };
}
