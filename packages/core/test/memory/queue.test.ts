import { describe, expect, it } from 'vitest';
import { claimOf, createMemorySetting, createWakes, waiterTtl } from '../support/memory-setting.ts';
import { settle } from '../support/virtual-runtime.ts';

describe('the queue of the memory provider', () => {
  it('is woken at its head only, never synchronously', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), of('b'));
    await provider.tryAcquire(claimOf('c'), of('c'));
    await settle();
    expect(woken).toEqual([]);
    const released = provider.release(claimOf('a'));
    expect(woken).toEqual([]);
    await released;
    await settle();
    expect(woken).toEqual(['b']);
  });

  it('does not wake the caller itself', async () => {
    const { runtime, provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a', { ttl: 100 }));
    await provider.tryAcquire(claimOf('b'), of('b'));
    runtime.block(100);
    expect(await provider.tryAcquire(claimOf('b'), of('b'))).toMatchObject({ granted: true });
    await settle();
    expect(woken).toEqual([]);
  });

  it('tells its head when the hold would expire, and the others when to give a sign of life', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a', { ttl: 150 }));
    expect(await provider.tryAcquire(claimOf('b'), () => {})).toEqual({ granted: false, retryAfter: 150 });
    expect(await provider.tryAcquire(claimOf('c'), () => {})).toEqual({ granted: false, retryAfter: waiterTtl / 3 });
    runtime.block(30);
    expect(await provider.tryAcquire(claimOf('b'), () => {})).toEqual({ granted: false, retryAfter: 120 });
    await provider.renew(claimOf('a', { ttl: 60_000 }));
    expect(await provider.tryAcquire(claimOf('b'), () => {})).toEqual({ granted: false, retryAfter: waiterTtl / 3 });
  });
});
