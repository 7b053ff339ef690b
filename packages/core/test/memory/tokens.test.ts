import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/index.ts';
import type { Claim, LockProvider } from '../../src/index.ts';
import { claimOf, createMemorySetting } from '../support/memory-setting.ts';
import type { VirtualRuntime } from '../support/virtual-runtime.ts';
import { lockError } from '../support/lock-error.ts';

async function tokenOf(provider: LockProvider, claim: Claim): Promise<bigint> {
  const answer = await provider.tryAcquire(claim);
  if (!answer.granted) throw new Error(`${claim.owner} was not granted`);
  return answer.token;
}

/** The server clock in µs, as tokens show it. */
function microseconds({ clock }: VirtualRuntime): bigint {
  return BigInt(Math.floor((clock.origin + clock.now()) * 1_000));
}

/** Takes and releases so many other keys, more than a store keeps while they are idle. */
async function useOthers(provider: LockProvider, count = 150): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await tokenOf(provider, claimOf('x', { key: `other ${index}` }));
    await provider.release(claimOf('x', { key: `other ${index}` }));
  }
}

describe('the tokens of the memory provider', () => {
  it('are not behind the clock', async () => {
    const { runtime, provider } = createMemorySetting();
    expect(await tokenOf(provider, claimOf('a'))).toBe(microseconds(runtime));
  });

  it('stay above those of a key that was ahead of the clock, although it was idle for long', async () => {
    const { runtime, provider } = createMemorySetting();
    const floor = microseconds(runtime) + 60_000_000n;
    const ahead = await tokenOf(provider, claimOf('a', { floor }));
    await provider.release(claimOf('a'));
    for (let second = 0; second < 59; second += 1) {
      runtime.block(1_000);
      await useOthers(provider);
    }
    expect(await tokenOf(provider, claimOf('b'))).toBeGreaterThan(ahead);
  });

  it('of idle keys are forgotten once the clock has passed them', async () => {
    const { runtime, provider, store } = createMemorySetting();
    for (let index = 0; index < 10; index += 1) {
      await tokenOf(provider, claimOf('a', { key: `key ${index}` }));
      await provider.release(claimOf('a', { key: `key ${index}` }));
    }
    runtime.block(1);
    await useOthers(provider);
    for (let index = 0; index < 10; index += 1) expect(store.find(`key ${index}`)).toBeUndefined();
  });

  it('of other idle keys are forgotten although one is far ahead of the clock', async () => {
    const { runtime, provider, store } = createMemorySetting();
    await tokenOf(provider, claimOf('a', { key: 'ahead', floor: 2n ** 52n }));
    await provider.release(claimOf('a', { key: 'ahead' }));
    for (let index = 0; index < 10; index += 1) {
      await tokenOf(provider, claimOf('a', { key: `key ${index}` }));
      await provider.release(claimOf('a', { key: `key ${index}` }));
    }
    runtime.block(1_000);
    await useOthers(provider);
    expect(store.find('ahead')).toBeDefined();
    for (let index = 0; index < 10; index += 1) expect(store.find(`key ${index}`)).toBeUndefined();
  });

  it('of a key whose holder died are forgotten at the next look at it', async () => {
    const { runtime, provider, store } = createMemorySetting();
    await tokenOf(provider, claimOf('a'));
    runtime.block(1_000);
    await provider.inspect('key');
    await useOthers(provider);
    expect(store.find('key')).toBeUndefined();
  });

  it('of a key that is held again are not forgotten when the clock passes the old one', async () => {
    const { runtime, provider } = createMemorySetting();
    const floor = microseconds(runtime) + 500_000n;
    await tokenOf(provider, claimOf('a', { floor }));
    await provider.release(claimOf('a'));
    await tokenOf(provider, claimOf('b', { ttl: 10_000 }));
    for (let index = 0; index < 3; index += 1) {
      runtime.block(1_000);
      await useOthers(provider);
    }
    expect(await provider.tryAcquire(claimOf('c'))).toMatchObject({ granted: false });
  });

  it('leave nothing of attempts that were refused', async () => {
    const { provider, store } = createMemorySetting();
    expect(await provider.release(claimOf('a'))).toBe(false);
    await provider.inspect('key');
    expect(store.find('key')).toBeUndefined();
  });
});

describe('a memory store', () => {
  it('keeps a position in the queue for 6 s unless it is told otherwise', () => {
    expect(createMemoryStore().waiterTtl).toBe(6_000);
    expect(createMemoryStore({ waiterTtl: 90 }).waiterTtl).toBe(90);
  });

  it.each(['exclusive', 'shared'] as const)('end at 2^53 with a refusal that names the key, %s', async (mode) => {
    const { provider } = createMemorySetting();
    const last = claimOf('a', { mode, floor: 2n ** 53n - 1n });
    expect(await tokenOf(provider, last)).toBe(2n ** 53n);
    await provider.release(last);
    const next = claimOf('b', { mode });
    for (const wake of [undefined, () => {}, undefined]) {
      await expect(provider.tryAcquire(next, wake)).rejects.toMatchObject(
        lockError('LOCK_INVALID', new RegExp(`^The tokens of "${next.key}" have reached their limit of 2\\^53`)),
      );
    }
    expect(await provider.inspect(next.key)).toEqual({ key: next.key, holders: [], waiters: 0 });
  });
});
