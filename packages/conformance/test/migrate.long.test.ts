import type { Phase } from '@locks/composites';
import { expect, test } from 'vitest';
import { migrating } from './support/migrating.ts';
import { mustPass } from './support/memory.ts';
import { runSideBySide } from './support/side-by-side.ts';

/** The ends are alike, and other tests have a pair in phase both. `LOCKS_PAIRS=all`: each phase. */
const phases: readonly Phase[] = process.env['LOCKS_PAIRS'] === 'all' ? ['from', 'both', 'to'] : ['to'];

test.each(phases)('two memory stores pass everything in phase %s', async (phase) => {
  const report = await runSideBySide(() => migrating(phase));
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: true });
  mustPass(report);
});
