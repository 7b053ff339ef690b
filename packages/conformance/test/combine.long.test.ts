import { printTable, runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { combined } from './support/combined.ts';
import { mustPass } from './support/memory.ts';
import { runSideBySide } from './support/side-by-side.ts';

test('all of 2 memory stores passes everything, shared mode too', async () => {
  const report = await runSideBySide(() => combined(2, { need: 'all' }));
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: true });
  mustPass(report);
});

test('a majority of 3 memory stores passes everything', async () => {
  const report = await runConformance(combined(3));
  console.log(printTable(report));
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: false });
  mustPass(report);
});

test('of five members, a claim is not kept out by one that is just leaving several of them', async () => {
  for (let time = 0; time < 5; time += 1) {
    mustPass(await runConformance({ ...combined(5), only: ['fair-newcomer-waits'] }));
  }
});
