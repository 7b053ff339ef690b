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

test('the memory provider without fairness passes everything, and is not told that it is fair', async () => {
  const report = await runConformance({ ...memory({ fair: false }), ttl: 200 });
  mustPass(report);
  expect(report.notes).toEqual([]);
  expect(report.results.find(({ id }) => id === 'fair-order')?.status).toBe('not-applicable');
});
