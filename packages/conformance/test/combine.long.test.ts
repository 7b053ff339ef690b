import { expect, test } from 'vitest';
import { combined } from './support/combined.ts';
import { mustPass } from './support/memory.ts';
import { runSideBySide } from './support/side-by-side.ts';

test('all of 2 memory stores passes everything, shared mode too', async () => {
  const report = await runSideBySide(() => combined(2, { need: 'all' }));
  expect(report.traits).toMatchObject({ fair: true, wake: true, shared: true });
  mustPass(report);
});
