import { runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { mustPass } from '../support/memory.ts';
import { overMap } from '../support/over-map.ts';
import { runSideBySide } from '../support/side-by-side.ts';

test('a provider over a map passes everything', async () => {
  mustPass(await runSideBySide(() => overMap('map', {})));
});

test('a provider over a map that wakes the processes it is told to passes everything', async () => {
  mustPass(await runSideBySide(() => overMap('map', { named: true })));
});

test('a map that wakes no process is found', async () => {
  const { results } = await runConformance({ ...overMap('map', { named: 'deaf' }), only: ['wake-after-release'] });
  const failed = results.find(({ status }) => status === 'failed');
  expect(failed?.error?.message).toMatch(/the waiter to be woken after a release/);
});
