import { test } from 'vitest';
import { mustPass } from '../support/memory.ts';
import { overMap } from '../support/over-map.ts';
import { runSideBySide } from '../support/side-by-side.ts';

test.each([
  ['a map that cannot be watched', { quiet: true }],
  ['a map without a clock', { observed: true }],
  ['a map without both', { observed: true, quiet: true }],
])('a provider over %s passes everything', async (name, settings) => {
  mustPass(await runSideBySide(() => overMap(name, settings)));
});
