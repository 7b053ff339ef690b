import type { ConformanceOptions } from '@locks/conformance';
import { namespaced } from '@locks/composites';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import { expect, test } from 'vitest';
import { mustPass } from '../support/memory.ts';
import { runSideBySide } from '../support/side-by-side.ts';

function part(): ConformanceOptions {
  const store = createMemoryStore({ waiterTtl: 3_000 });
  // Keys of the suite have 512 bytes at most, so the longest of them are hashed.
  const create = () => namespaced(createMemoryProvider({ store }), 'orders');
  const leaks = () => ({ keys: [...store.keys('')].length });
  return { name: 'namespaced memory', create, createOther: create, leaks };
}

test('a part of the keys of a memory provider passes everything', async () => {
  const report = await runSideBySide(part);
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: true });
  mustPass(report);
});
