import type { DifferentialOptions, DifferentialRules } from '@locks/conformance';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider, MemoryStore } from '@locks/core';
import { createVirtualRuntime } from '@locks/core/testing';

/** The memory provider in virtual time, where nothing is abandoned. */
export function memoryInVirtualTime(sequences: number): Omit<DifferentialOptions, 'create'> & {
  readonly create: (rules: DifferentialRules) => LockProvider;
} {
  const virtual = createVirtualRuntime();
  const { clock } = virtual;
  const stores = new Map<number, MemoryStore>();
  return {
    name: 'memory',
    create: ({ waiterTtl }) => {
      const store = stores.get(waiterTtl) ?? createMemoryStore({ waiterTtl, runtime: virtual });
      stores.set(waiterTtl, store);
      return createMemoryProvider({ store });
    },
    virtual: {
      now: () => clock.now(),
      async sleep(ms) {
        virtual.block(ms);
        for (let turns = 0; turns < 4; turns += 1) await Promise.resolve();
      },
    },
    sequences,
    length: 25,
    together: 1,
    abandonedAtMost: 0,
  };
}
