import { printTable, runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { memory, mustPass } from './support/memory.ts';

test('the memory provider passes everything', async () => {
  const report = await runConformance(memory());
  console.log(printTable(report));
  mustPass(report);
  const spent = report.results.reduce((sum, { duration }) => sum + duration, 0);
  // About half of it where the machine does nothing else.
  expect(spent).toBeLessThan(40_000);
});
