import { describe, expect, it } from 'vitest';
import { createMemoryProvider, openLocks } from '../src/index.ts';
import { claimOf, createMemorySetting, sharedOf } from './support/memory-setting.ts';

describe('the memory provider', () => {
  it('is fair unless it is told otherwise', async () => {
    const provider = createMemoryProvider();
    expect(provider.traits.fair).toBe(true);
    expect(createMemoryProvider({ fair: false }).traits.fair).toBe(false);
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), () => {});
    await provider.release(claimOf('a'));
    expect(await provider.tryAcquire(claimOf('newcomer'))).toMatchObject({ granted: false });
  });

  it('answers a repeat by a sharer with the same token and restarts the ttl', async () => {
    const { runtime, provider } = createMemorySetting();
    const first = await provider.tryAcquire(sharedOf('a', 2));
    runtime.block(900);
    expect(await provider.tryAcquire(sharedOf('a', 2))).toEqual(first);
    runtime.block(900);
    expect(await provider.renew(sharedOf('a', 2))).toEqual({});
  });

  it('counts tokens on after a renewal that brought none', async () => {
    const { provider } = createMemorySetting();
    const first = await provider.tryAcquire(claimOf('a'));
    expect(await provider.renew(claimOf('a'))).toEqual({});
    expect(await provider.tryAcquire(claimOf('a'))).toEqual(first);
    await provider.release(claimOf('a'));
    const second = await provider.tryAcquire(claimOf('b'));
    if (!first.granted || !second.granted) throw new Error('a free key was not granted');
    expect(second.token).toBe(first.token + 1n);
  });

  it.each(['etcd+memory:', 'memory:x', 'memory:///', 'redis://memory:'])(
    'does not take %s for its URL',
    async (url) => {
      await expect(openLocks({ provider: 'memory', url })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    },
  );
});
