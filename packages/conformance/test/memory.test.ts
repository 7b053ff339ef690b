import { printTable } from '@locks/conformance';
import { expect, test } from 'vitest';
import { memory, mustPass } from './support/memory.ts';
import { runSideBySide } from './support/side-by-side.ts';

test('the memory provider passes everything', async () => {
  const report = await runSideBySide(memory);
  console.log(printTable(report));
  mustPass(report);
  const spent = report.results.reduce((sum, { duration }) => sum + duration, 0);
  // About a tenth of it where the machine does nothing else.
  expect(spent).toBeLessThan(200_000);
});
