import { test } from 'vitest';
import { mustPass } from '../support/memory.ts';
import { overMap } from '../support/over-map.ts';
import { runSideBySide } from '../support/side-by-side.ts';

test('a provider over a map passes everything', async () => {
  mustPass(await runSideBySide(() => overMap('map', {})));
});
