import { expect, test } from 'vitest';
import type { Claim } from '../../../src/contract.ts';
import { VirtualStore } from './virtual-store.ts';

const claim = (owner: string, mode: Claim['mode'] = 'exclusive'): Claim => ({ key: 'k', owner, ttl: 30_000, mode });
const wake = (): void => {};

test.each(['shared', 'exclusive'] as const)(
  'a %s claim that was answered busy is not passed by one that comes later, though its write was lost',
  async (mode) => {
    const store = new VirtualStore(1);
    const [near, far] = [store.process(1), store.process(20)];
    const held = near.provider.tryAcquire(claim('holder'));
    await store.pass(100);
    await held;
    const late = (async () => {
      await far.provider.tryAcquire(claim('far', mode), wake);
      await near.provider.tryAcquire(claim('late'), wake);
    })();
    // It is faster than the write of the far one.
    const rival = near.sleep(25).then(() => near.provider.tryAcquire(claim('rival', mode), wake));
    await store.pass(1_000);
    await Promise.all([late, rival]);
    const state = near.provider.inspect('k');
    await store.pass(100);
    expect((await state).queue?.map(({ owner }) => owner)).toEqual(['rival', 'far', 'late']);
    expect(far.calls.replaces).toBe(2);
  },
);

test('a claim whose write is lost again and again hears that it is busy, and not that the store is not there', async () => {
  const store = new VirtualStore(1);
  const holder = store.process(1);
  const held = holder.provider.tryAcquire(claim('holder'));
  await store.pass(100);
  await held;
  const loser = store.process(1, { replace: async () => false }, { timeout: 1_000 });
  const answer = loser.provider.tryAcquire(claim('loser'), wake);
  const alone = loser.provider.tryAcquire(claim('alone'));
  await store.pass(200);
  expect(await alone).toMatchObject({ granted: false });
  await store.pass(600);
  expect(await answer).toMatchObject({ granted: false });
});
