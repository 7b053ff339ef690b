import { describe, expect, it } from 'vitest';
import { createMemoryProvider, createMemoryStore, openLocks } from '../../src/index.ts';
import { createMemorySetting } from '../support/memory-setting.ts';
import { misconfigured } from '../support/lock-error.ts';

describe('the memory provider', () => {
  it('declares what it can do', () => {
    expect(createMemorySetting().provider.traits).toEqual({
      scope: 'process',
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair: true,
      shared: true,
      wake: true,
    });
  });

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
    const error = expect.objectContaining(misconfigured(`The memory provider: ${message}`));
    expect(() => createMemoryProvider(options as never)).toThrow(error);
    if (!('store' in options) && !('waiterTll' in options))
      expect(() => createMemoryStore(options as never)).toThrow(error);
  });

  it.each(['x+memory:', 'memory:x', 'memory:///', 'redis://memory:'])('does not take %s for its URL', async (url) => {
    await expect(openLocks({ provider: 'memory', url })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  });
});
