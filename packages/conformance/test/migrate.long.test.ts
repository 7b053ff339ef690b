import { migrate } from '@locks/composites';
import type { Phase } from '@locks/composites';
import type { ConformanceOptions } from '@locks/conformance';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import { expect, test } from 'vitest';
import { mustPass } from './support/memory.ts';
import { runSideBySide } from './support/side-by-side.ts';

/** The ends are alike, and other tests have a pair in phase both. `LOCKS_PAIRS=all`: each phase. */
const phases: readonly Phase[] = process.env['LOCKS_PAIRS'] === 'all' ? ['from', 'both', 'to'] : ['to'];

test.each(phases)('two memory stores pass everything in phase %s', async (phase) => {
  const report = await runSideBySide(() => migrating(phase));
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: true });
  mustPass(report);
});

/** Options for the suite over two memory stores in one phase of a migration. */
function migrating(phase: Phase): ConformanceOptions {
  const stores = [createMemoryStore({ waiterTtl: 3_000 }), createMemoryStore({ waiterTtl: 3_000 })] as const;
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
