import { runConformance } from '@locks/conformance';
import { test } from 'vitest';
import { combined } from '../support/combined.ts';
import { mustPass } from '../support/memory.ts';

test.each([4, 5])('a majority of %i memory stores passes everything', async (count) => {
  mustPass(await runConformance(combined(count)));
});
