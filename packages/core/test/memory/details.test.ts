import { describe, expect, it } from 'vitest';
import { createMemoryProvider, createMemoryStore, openLocks } from '../../src/index.ts';
import { claimOf, createMemorySetting, sharedOf } from '../support/memory-setting.ts';

describe('the memory provider', () => {
  it('reads durations as text', () => {
    expect(createMemoryStore({ waiterTtl: '1.5s' }).waiterTtl).toBe(1_500);
    expect(() => createMemoryProvider({ waiterTtl: '1m' })).not.toThrow();
  });

  it.each([
    ['an unknown option', { waiterTll: 5 }, 'unknown option "waiterTll". Did you mean "waiterTtl"?'],
    ['a wrong duration', { waiterTtl: 'soon' }, 'option "waiterTtl" must be an integer from 30 to 86400000 (ms)'],
    ['no store', { store: {} }, 'option "store" must be a store of createMemoryStore'],
    ['half a runtime', { runtime: {} }, 'option "runtime" must be a Runtime'],
  ])('refuses %s', (_, options, message) => {
    const error = expect.objectContaining({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringContaining(`The memory provider: ${message}`),
    });
    expect(() => createMemoryProvider(options as never)).toThrow(error);
    if (!('store' in options) && !('waiterTll' in options))
      expect(() => createMemoryStore(options as never)).toThrow(error);
  });

  it('is fair', async () => {
    const provider = createMemoryProvider();
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

  it.each(['x+memory:', 'memory:x', 'memory:///', 'redis://memory:'])('does not take %s for its URL', async (url) => {
    await expect(openLocks({ provider: 'memory', url })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  });
});
