import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryProvider, createMemoryStore, subscribe } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, LockProvider, MemberMessage } from '../../../core/src/index.ts';

function claimOf(owner: string, key = 'job'): Claim {
  return { key, owner, ttl: 10_000, mode: 'exclusive' };
}

/** Two stores as one, for processes whose way to the second one is short or long. */
function twoStores(): (delay: number) => { readonly provider: LockProvider; underWay(): number } {
  const [first, second] = [createMemoryStore(), createMemoryStore()];
  return (delay) => {
    let underWay = 0;
    const far = createMemoryProvider({ store: second });
    const travel = async <T>(call: () => Promise<T>): Promise<T> => {
      underWay += 1;
      await sleep(delay);
      try {
        return await call();
      } finally {
        underWay -= 1;
      }
    };
    const slow: LockProvider = {
      name: far.name,
      traits: far.traits,
      tryAcquire: (claim, wake) => travel(() => far.tryAcquire(claim, wake)),
      renew: (claim, token) => travel(() => far.renew(claim, token)),
      release: (claim) => travel(() => far.release(claim)),
      inspect: (key) => travel(() => far.inspect(key)),
      close: () => far.close(),
    };
    const provider = combine([createMemoryProvider({ store: first }), delay > 0 ? slow : far], { need: 'all' });
    onTestFinished(() => provider.close());
    return { provider, underWay: () => underWay };
  };
}

test('a busy answer without a wake comes when no store has a call or a vote of the claim any more', async () => {
  const process = twoStores();
  const [holder, other] = [process(0), process(30)];
  await holder.provider.tryAcquire(claimOf('me/1'));
  expect(await other.provider.tryAcquire(claimOf('me/2'))).toMatchObject({ granted: false });
  expect(other.underWay()).toBe(0);
  await holder.provider.release(claimOf('me/1'));
  expect(await holder.provider.tryAcquire(claimOf('me/3'))).toMatchObject({ granted: true });
});

test('where all stores are needed, a lease is renewed in a slow one that has other calls under way', async () => {
  const { provider } = twoStores()(160);
  const told: MemberMessage[] = [];
  const subscription = subscribe('locks:member', (message) => void told.push(message));
  onTestFinished(() => subscription());
  await provider.tryAcquire(claimOf('me/1'));
  await provider.tryAcquire(claimOf('me/2', 'another'));
  expect(told).toMatchObject([{ index: 1, suspect: true }]);
  const meanwhile = provider.tryAcquire(claimOf('me/3', 'one more'));
  expect(await provider.renew(claimOf('me/1'))).not.toBe(false);
  expect(await meanwhile).toMatchObject({ granted: true });
});
