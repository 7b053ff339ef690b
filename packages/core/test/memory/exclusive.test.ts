import { describe, expect, it } from 'vitest';
import type { LockProvider } from '../../src/index.ts';
import { claimOf, createMemorySetting, sharedOf } from '../support/memory-setting.ts';

async function listOf(provider: LockProvider, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of provider.list?.(prefix) ?? []) keys.push(key);
  return keys.toSorted();
}

describe('the memory provider, exclusive', () => {
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

  it('grants a free key, and is busy for others until it is released', async () => {
    const { provider } = createMemorySetting();
    expect(await provider.tryAcquire(claimOf('a'))).toMatchObject({ granted: true });
    expect(await provider.tryAcquire(claimOf('b'))).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(sharedOf('c'))).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(claimOf('b', { key: 'other' }))).toMatchObject({ granted: true });
    expect(await provider.release(claimOf('a'))).toBe(true);
    expect(await provider.tryAcquire(claimOf('b'))).toMatchObject({ granted: true });
  });

  it('answers a repeat by the holder with the same token and restarts the ttl', async () => {
    const { runtime, provider } = createMemorySetting();
    const first = await provider.tryAcquire(claimOf('a'));
    runtime.block(900);
    expect(await provider.tryAcquire(claimOf('a'))).toEqual(first);
    runtime.block(999);
    expect(await provider.tryAcquire(claimOf('b'))).toMatchObject({ granted: false });
    runtime.block(1);
    expect(await provider.tryAcquire(claimOf('b'))).toMatchObject({ granted: true });
  });

  it('lets a hold expire exactly at its ttl', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a'));
    runtime.block(999);
    expect(await provider.tryAcquire(claimOf('b'))).toEqual({ granted: false, retryAfter: 1 });
    runtime.block(1);
    expect(await provider.tryAcquire(claimOf('b'))).toMatchObject({ granted: true });
    expect(await provider.release(claimOf('a'))).toBe(false);
    expect(await provider.renew(claimOf('a'))).toBe(false);
    expect((await provider.inspect('key')).holders.map((holder) => holder.owner)).toEqual(['b']);
  });

  it('renews what is held, and nothing else', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a'));
    runtime.block(600);
    expect(await provider.renew(claimOf('a'))).toEqual({});
    runtime.block(600);
    expect(await provider.tryAcquire(claimOf('b'))).toMatchObject({ granted: false });
    expect(await provider.renew(claimOf('b'))).toBe(false);
    expect(await provider.renew(claimOf('a', { key: 'other' }))).toBe(false);
    runtime.block(400);
    expect(await provider.renew(claimOf('a'))).toBe(false);
  });

  it('frees on release only what is held, once', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a'));
    expect(await provider.release(claimOf('b'))).toBe(false);
    expect(await provider.release(claimOf('a'))).toBe(true);
    expect(await provider.release(claimOf('a'))).toBe(false);
  });

  it('refuses to make a shared hold exclusive, and keeps the hold', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(sharedOf('a'));
    await expect(provider.tryAcquire(claimOf('a'))).rejects.toMatchObject({ code: 'LOCK_INVALID', key: 'key' });
    expect((await provider.inspect('key')).holders).toMatchObject([{ owner: 'a', mode: 'shared' }]);
  });

  it('makes an exclusive hold shared without a gap, with the same token', async () => {
    const { runtime, provider } = createMemorySetting();
    const first = await provider.tryAcquire(claimOf('a'));
    expect(await provider.tryAcquire(sharedOf('b'))).toMatchObject({ granted: false });
    runtime.block(500);
    expect(await provider.tryAcquire(sharedOf('a'))).toEqual(first);
    expect(await provider.tryAcquire(sharedOf('b'))).toMatchObject({ granted: true });
    expect(await provider.tryAcquire(claimOf('c'))).toMatchObject({ granted: false });
    expect((await provider.inspect('key')).holders).toMatchObject([
      { owner: 'a', mode: 'shared', remaining: 1_000 },
      { owner: 'b', mode: 'shared' },
    ]);
  });

  it('serves several processes on one store', async () => {
    const { provider, another } = createMemorySetting();
    const other = another();
    await provider.tryAcquire(claimOf('a'));
    expect(await other.tryAcquire(claimOf('b'))).toMatchObject({ granted: false });
    expect((await other.inspect('key')).holders).toMatchObject([{ owner: 'a' }]);
    expect(await other.release(claimOf('a'))).toBe(true);
    expect(await provider.renew(claimOf('a'))).toBe(false);
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
});
