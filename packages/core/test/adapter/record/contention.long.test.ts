import { expect, test } from 'vitest';
import { expectHeld, leasesOf, usual } from './contended.ts';

test.each([
  ['seed 2', usual, 2],
  ['seed 3', usual, 3],
  ['a short ttl', { ...usual, ttl: 5_000 }, 4],
  ['many claims', { ...usual, processes: 10, rate: 200, wait: 500 }, 5],
  ['others that are far, too', { ...usual, processes: 2, near: 30, rate: 50, wait: 500 }, 6],
  ['many others that are not near', { ...usual, processes: 10, near: 20, rate: 200 }, 2],
  ['a holder that is not so far', { ...usual, far: 50, rate: 50 }, 7],
])('a far holder keeps its lease while others wait and give up: %s', async (_what, run, seed) => {
  await expectHeld(run, seed);
});

test.each([2, 3])('a far process gets its turns beside a near one (seed %i)', async (seed) => {
  for (const { leases } of await leasesOf(seed, [1, 100], 2, 50)) expect(leases).toBeGreaterThan(60);
});
