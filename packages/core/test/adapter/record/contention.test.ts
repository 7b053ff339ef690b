import { expect, test } from 'vitest';
import { expectHeld, leasesOf, usual } from './contended.ts';

test('a far holder keeps its lease while others wait and give up', async () => {
  await expectHeld(usual, 1);
});

test('a far process gets its turns beside a near one', async () => {
  const [near, far] = await leasesOf(1, [1, 100], 2, 50);
  expect(far?.leases).toBeGreaterThan(60);
  expect(near?.leases).toBeGreaterThan(60);
});

test('processes that are as near get as many turns', async () => {
  for (const { leases, longest } of await leasesOf(1, [1, 1, 1, 1], 5, 2)) {
    expect(leases).toBeGreaterThan(600);
    expect(longest).toBeLessThan(1_500);
  }
});
