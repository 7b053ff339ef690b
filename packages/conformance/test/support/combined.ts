import { combine } from '@locks/composites';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { CombineOptions } from '@locks/composites';
import type { ConformanceOptions } from '@locks/conformance';

/** Options for the suite over so many memory stores as one. */
export function combined(count: number, options: CombineOptions = {}): ConformanceOptions {
  const stores = Array.from({ length: count }, () => createMemoryStore({ waiterTtl: 3_000 }));
  return {
    name: `${count} memory stores as one`,
    create: () =>
      combine(
        stores.map((store) => createMemoryProvider({ store })),
        options,
      ),
    ttl: 300,
  };
}
