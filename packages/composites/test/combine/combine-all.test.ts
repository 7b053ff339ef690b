import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { claimOf, timed } from '../support/combined.ts';
import { through } from '../../../core/test/support/through.ts';

/** `provider`, whose calls take `delay` ms of the time of `runtime`. */
function far(provider: LockProvider, runtime: VirtualRuntime, delay: number) {
  let underWay = 0;
  const travel = async <T>(call: () => Promise<T>): Promise<T> => {
    underWay += 1;
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, delay, false));
    try {
      return await call();
    } finally {
      underWay -= 1;
    }
  };
  return { member: through(provider, travel), underWay: () => underWay };
}

/** Two stores as one, for processes whose way to the second one is short or long. */
function twoStores(runtime: VirtualRuntime) {
  const stores = [createMemoryStore({ runtime }), createMemoryStore({ runtime })];
  return (delay: number) => {
    const [first, second] = stores.map((store) => createMemoryProvider({ store }));
    const slow = far(second!, runtime, delay);
    const provider = combine([far(first!, runtime, 1).member, slow.member], { need: 'all', runtime });
    onTestFinished(() => provider.close());
    return { provider, underWay: slow.underWay };
  };
}

test('a busy answer without a wake comes when no store has a call or a vote of the claim any more', async () => {
  const runtime = new VirtualRuntime();
  const process = twoStores(runtime);
  const [holder, other] = [process(1), process(30)];
  await timed(runtime, () => holder.provider.tryAcquire(claimOf('me/1')));
  const { answer } = await timed(runtime, () => other.provider.tryAcquire(claimOf('me/2')));
  expect(answer).toMatchObject({ granted: false });
  expect(other.underWay()).toBe(0);
  await timed(runtime, () => holder.provider.release(claimOf('me/1')));
  const { answer: next } = await timed(runtime, () => holder.provider.tryAcquire(claimOf('me/3')));
  expect(next).toMatchObject({ granted: true });
});

test('where all stores are needed, a lease is renewed in a slow one that has other calls under way', async () => {
  const runtime = new VirtualRuntime();
  const { provider } = twoStores(runtime)(160);
  const told = listen('locks:member');
  await timed(runtime, () => provider.tryAcquire(claimOf('me/1')));
  await timed(runtime, () => provider.tryAcquire(claimOf('me/2', { key: 'another' })));
  expect(told).toMatchObject([{ index: 1, suspect: true }]);
  const meanwhile = provider.tryAcquire(claimOf('me/3', { key: 'one more' }));
  expect((await timed(runtime, () => provider.renew(claimOf('me/1')))).answer).not.toBe(false);
  expect((await timed(runtime, () => meanwhile)).answer).toMatchObject({ granted: true });
});

test('a lease that is given up while it is downgraded asks for nothing any more', async () => {
  const runtime = new VirtualRuntime();
  const process = twoStores(runtime);
  const [holder, other] = [process(30), process(1)];
  await timed(runtime, () => holder.provider.tryAcquire(claimOf('me/1')));
  const downgraded = holder.provider.tryAcquire(claimOf('me/1', { mode: 'shared' }));
  await timed(runtime, () => holder.provider.release(claimOf('me/1')));
  expect((await timed(runtime, () => downgraded)).answer).toMatchObject({ granted: false });
  const { answer: next } = await timed(runtime, () => other.provider.tryAcquire(claimOf('me/2')));
  expect(next).toMatchObject({ granted: true });
});
