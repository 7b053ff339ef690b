import assert from 'node:assert/strict';
import type { ConformanceOptions, ConformanceReport } from '@locks/conformance';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';

/** The memory provider, on a store of its own. */
export function memory(): ConformanceOptions {
  // Two requirements wait for a position in the queue to lapse.
  const store = createMemoryStore({ waiterTtl: 3_000 });
  const create = (): LockProvider => createMemoryProvider({ store });
  const leaks = () => ({ keys: [...store.keys('')].length });
  return { name: 'memory', create, createOther: create, leaks };
}

/** Throws with the reasons unless every requirement that applies was passed. */
export function mustPass({ results }: ConformanceReport): void {
  const failed = results.filter(({ status }) => status === 'failed' || status === 'unverified');
  assert.deepEqual(
    failed.map(({ id, error }) => `${id}: ${error?.message}`),
    [],
  );
}
