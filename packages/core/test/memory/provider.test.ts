import { describe, expect, it } from 'vitest';
import { createMemoryProvider, createMemoryStore, openLocks } from '../../src/index.ts';
import type { LockProvider } from '../../src/index.ts';
import { claimOf, createMemorySetting } from '../support/memory-setting.ts';
import { misconfigured } from '../support/lock-error.ts';

async function listOf(provider: LockProvider, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of provider.list?.(prefix) ?? []) keys.push(key);
  return keys.toSorted();
}

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

  it('refuses all calls with LOCK_CLOSED after close, which leaves the store to others', async () => {
    const { provider, another } = createMemorySetting();
    const other = another();
    await provider.tryAcquire(claimOf('a'));
    await provider.close();
    await provider.close();
    const closed = { code: 'LOCK_CLOSED' };
    await expect(provider.tryAcquire(claimOf('b'))).rejects.toMatchObject(closed);
    await expect(provider.renew(claimOf('a'))).rejects.toMatchObject(closed);
    await expect(provider.release(claimOf('a'))).rejects.toMatchObject(closed);
    await expect(provider.inspect('key')).rejects.toMatchObject(closed);
    await expect(listOf(provider, '')).rejects.toMatchObject(closed);
    expect((await other.inspect('key')).holders).toHaveLength(1);
  });

  it('tells who holds a key and who waits', async () => {
    const { runtime, provider } = createMemorySetting();
    expect(await provider.inspect('key')).toEqual({ key: 'key', holders: [], waiters: 0 });
    const grant = await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), () => {});
    await provider.tryAcquire(claimOf('c', { mode: 'shared' }), () => {});
    runtime.block(300);
    const token = grant.granted ? grant.token : 0n;
    expect(await provider.inspect('key')).toEqual({
      key: 'key',
      holders: [{ owner: 'a', mode: 'exclusive', token, remaining: 700 }],
      waiters: 2,
      queue: [
        { owner: 'b', mode: 'exclusive' },
        { owner: 'c', mode: 'shared' },
      ],
    });
    runtime.block(700);
    expect(await provider.inspect('key')).toEqual({ key: 'key', holders: [], waiters: 0 });
  });

  it('lists the keys with a prefix that are held or waited for', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a', { key: 'app:1' }));
    await provider.tryAcquire(claimOf('b', { key: 'app:2', ttl: 100 }));
    await provider.tryAcquire(claimOf('w', { key: 'app:2', ttl: 100 }), () => {});
    await provider.tryAcquire(claimOf('c', { key: 'app:3', ttl: 100 }));
    await provider.tryAcquire(claimOf('d', { key: 'web:1' }));
    await provider.tryAcquire(claimOf('e', { key: 'app:4' }));
    await provider.release(claimOf('e', { key: 'app:4' }));
    runtime.block(100);
    expect(await listOf(provider, 'app:')).toEqual(['app:1', 'app:2']);
    expect(await listOf(provider, '')).toEqual(['app:1', 'app:2', 'web:1']);
    expect(await listOf(provider, 'none')).toEqual([]);
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
