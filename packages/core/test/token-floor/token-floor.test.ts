import { expect, onTestFinished, test } from 'vitest';
import { createLocks, createMemoryProvider, openLocks } from '../../src/index.ts';
import type { LocksOptions } from '../../src/index.ts';
import { createFreeSetting } from '../support/setting.ts';

const floor = 2n ** 52n;

test.each([floor, Number(floor), String(floor)])('all tokens exceed tokenFloor: %s', async (tokenFloor) => {
  const locks = createLocks(createMemoryProvider(), { tokenFloor, closeProvider: true });
  onTestFinished(() => locks.close());
  const first = await locks.acquire('job');
  expect(first.token).toBe(floor + 1n);
  expect((await locks.acquire('another')).token).toBe(floor + 1n);
  await first.release();
  expect((await locks.acquire('job')).token).toBe(floor + 2n);
});

test('it comes from a URL, too', async () => {
  const locks = await openLocks(`memory:?tokenFloor=${floor}`);
  onTestFinished(() => locks.close());
  expect((await locks.acquire('job')).token).toBe(floor + 1n);
});

test('claims have it in each attempt, with permits too; without the option they have none', async () => {
  const { provider, locks } = createFreeSetting({ tokenFloor: 7n });
  await locks.acquire('job', { mode: 'shared', permits: 2 });
  expect(provider.attempts.map(({ claim }) => claim)).toMatchObject([{ floor: 7n, permits: 2 }]);
  const plain = createFreeSetting();
  await plain.locks.acquire('job');
  expect(plain.provider.attempts[0]?.claim).not.toHaveProperty('floor');
});

test.each([-1, 1.5, 2 ** 53, -1n, 2n ** 53n, 'high', '1e3', null])('tokenFloor %s is refused', (tokenFloor) => {
  expect(() => createLocks(createMemoryProvider(), { tokenFloor } as LocksOptions)).toThrow(
    /option "tokenFloor" must be a whole number from 0 to 9007199254740991/,
  );
});
