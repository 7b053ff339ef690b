import type { ConformanceOptions } from '@locks/conformance';
import { migrate } from '@locks/composites';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { Phase } from '@locks/composites';

/** Options for the suite over two memory stores in one phase of a migration. */
export function migrating(phase: Phase): ConformanceOptions {
  const stores = [1, 2].map(() => createMemoryStore({ waiterTtl: 3_000 })) as [
    ReturnType<typeof createMemoryStore>,
    ReturnType<typeof createMemoryStore>,
  ];
  const [from, to] = stores;
  const create = () =>
    migrate({
      name: 'suite',
      from: createMemoryProvider({ store: from }),
      to: createMemoryProvider({ store: to }),
      phase,
      // Longer than any ttl of the suite, so that none is cut.
      presenceTtl: '3m',
      // The first process would be in phase both for as long.
      settle: 0,
    });
  const leaks = () => ({ keys: stores.flatMap((store) => [...store.keys('')]).length });
  return { name: `two memory stores in phase ${phase}`, create, createOther: create, ttl: 300, leaks };
}
