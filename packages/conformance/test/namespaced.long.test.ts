import { runConformance } from '@locks/conformance';
import { namespaced } from '@locks/composites';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import { expect, test } from 'vitest';
import { mustPass } from './support/memory.ts';

test('a part of the keys of a memory provider passes everything', async () => {
  const store = createMemoryStore({ waiterTtl: 3_000 });
  // Keys of the suite have 512 bytes at most, so the longest of them are hashed.
  const create = () => namespaced(createMemoryProvider({ store }), 'orders');
  const leaks = () => ({ keys: [...store.keys('')].length });
  const report = await runConformance({ name: 'namespaced memory', create, createOther: create, leaks });
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: true });
  mustPass(report);
});
