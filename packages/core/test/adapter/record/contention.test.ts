import { expect, test } from 'vitest';
import { expectHeld, leasesOf, usual } from './contended.ts';
import { VirtualStore } from './virtual-store.ts';

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

test.each([1, 2, 3])('late replies of a while ask for no gaps afterwards: seed %i', async (seed) => {
  const late = (time: number): number => (time >= 45_000 && time < 51_000 ? 700 : 1);
  const found = await leasesOf(seed, [late, 1, 1, 1], 4, 5, 51_000);
  expect(found.reduce((sum, { leases }) => sum + leases, 0)).toBeGreaterThan(400);
});

test.each([
  ['network', ['key:k', 'pace:k']],
  ['host', ['key:k']],
] as const)(
  'a process that loses again and again asks for gaps, if others may be nearer: scope %s',
  async (scope, written) => {
    const store = new VirtualStore(1);
    const keys = new Set<string>();
    const replace = async (key: string): Promise<boolean> => {
      keys.add(key);
      return false;
    };
    const { provider } = store.process(20, { scope, replace }, { timeout: 500 });
    const call = provider.tryAcquire({ key: 'k', owner: 'one', ttl: 5_000, mode: 'exclusive' }).catch(() => {});
    await store.pass(1_000);
    await call;
    expect([...keys].toSorted()).toEqual(written);
  },
);
