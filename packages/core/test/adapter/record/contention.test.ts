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
