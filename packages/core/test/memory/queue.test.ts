import { describe, expect, it } from 'vitest';
import { claimOf, createMemorySetting, createWakes, sharedOf, waiterTtl } from '../support/memory-setting.ts';
import { settle } from '../support/virtual-runtime.ts';

describe('the queue of the memory provider', () => {
  it('is served in the order of arrival, and newcomers do not pass it', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), of('b'));
    await provider.tryAcquire(claimOf('c'), of('c'));
    await provider.release(claimOf('a'));
    expect(await provider.tryAcquire(claimOf('newcomer'))).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(claimOf('c'), of('c'))).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(claimOf('b'), of('b'))).toMatchObject({ granted: true });
    await settle();
    expect(new Set(woken)).toEqual(new Set(['b']));
  });

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

  it('wakes the next when the head leaves without ever holding', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), of('b'));
    await provider.tryAcquire(claimOf('c'), of('c'));
    await provider.release(claimOf('a'));
    await settle();
    expect(await provider.release(claimOf('b'))).toBe(false);
    await settle();
    expect(woken).toEqual(['b', 'c']);
  });

  it('wakes the head when a call finds that the hold has expired', async () => {
    const { runtime, provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a', { ttl: 100 }));
    await provider.tryAcquire(claimOf('b'), of('b'));
    await provider.tryAcquire(claimOf('c'), of('c'));
    runtime.block(100);
    expect(await provider.tryAcquire(claimOf('c'), of('c'))).toMatchObject({ granted: false });
    await settle();
    expect(woken).toEqual(['b']);
    await provider.renew(claimOf('a'));
    await settle();
    expect(woken).toEqual(['b', 'b']);
  });

  it('forgets a place that gave no sign of life, also in the middle of it', async () => {
    const { runtime, provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a', { ttl: 10_000 }));
    for (const name of ['b', 'c', 'd', 'e']) await provider.tryAcquire(claimOf(name), of(name));
    runtime.block(waiterTtl - 1);
    for (const name of ['b', 'e']) await provider.tryAcquire(claimOf(name), of(name));
    expect((await provider.inspect('key')).waiters).toBe(4);
    runtime.block(1);
    expect((await provider.inspect('key')).waiters).toBe(2);
    await provider.release(claimOf('a'));
    expect(await provider.tryAcquire(claimOf('e'), of('e'))).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(claimOf('b'), of('b'))).toMatchObject({ granted: true });
    await provider.release(claimOf('b'));
    await settle();
    expect(woken.at(-1)).toBe('e');
    expect(await provider.tryAcquire(claimOf('e'), of('e'))).toMatchObject({ granted: true });
  });

  it('forgets places one after the other, each at its own time', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a', { ttl: 10_000 }));
    for (const name of ['b', 'c', 'd']) {
      await provider.tryAcquire(claimOf(name), () => {});
      runtime.block(100);
    }
    runtime.block(waiterTtl - 300);
    for (const left of [2, 1, 0]) {
      expect((await provider.inspect('key')).waiters).toBe(left);
      runtime.block(100);
    }
  });

  it('goes on behind the new last one when the last one leaves', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a'));
    for (const name of ['b', 'c']) await provider.tryAcquire(claimOf(name), of(name));
    await provider.release(claimOf('c'));
    await provider.tryAcquire(claimOf('d'), of('d'));
    await provider.release(claimOf('a'));
    await provider.release(claimOf('b'));
    await settle();
    expect(woken).toEqual(['b', 'd']);
    expect(await provider.tryAcquire(claimOf('d'), of('d'))).toMatchObject({ granted: true });
  });

  it('puts a claim whose place was forgotten at its end', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a', { ttl: 10_000 }));
    await provider.tryAcquire(claimOf('b'), () => {});
    runtime.block(300);
    await provider.tryAcquire(claimOf('c'), () => {});
    runtime.block(300);
    await provider.tryAcquire(claimOf('b'), () => {});
    await provider.release(claimOf('a'));
    expect(await provider.tryAcquire(claimOf('b'), () => {})).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(claimOf('c'), () => {})).toMatchObject({ granted: true });
  });

  it('survives that all of it is forgotten', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a', { ttl: 100 }));
    for (const name of ['b', 'c', 'd']) await provider.tryAcquire(claimOf(name), () => {});
    runtime.block(waiterTtl);
    expect(await provider.tryAcquire(claimOf('newcomer'))).toMatchObject({ granted: true });
    await provider.tryAcquire(claimOf('late'), () => {});
    expect((await provider.inspect('key')).waiters).toBe(1);
  });

  it('keeps a place at a repeat without wake, and calls the latest wake only', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), of('old'));
    await provider.tryAcquire(claimOf('b'), of('new'));
    await provider.tryAcquire(claimOf('b'));
    expect((await provider.inspect('key')).waiters).toBe(1);
    await provider.release(claimOf('a'));
    await settle();
    expect(woken).toEqual(['new']);
  });

  it('wakes through a provider when that is closed, and not after it', async () => {
    const { provider, another } = createMemorySetting();
    const { woken, of } = createWakes();
    const other = another();
    await other.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'), of('b'));
    await provider.close();
    await settle();
    // So that it hears of the close.
    expect(woken).toEqual(['b']);
    await other.release(claimOf('a'));
    await settle();
    expect(woken).toEqual(['b']);
    expect((await other.inspect('key')).waiters).toBe(1);
  });

  it('takes in no claim that does not want to wait', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(claimOf('b'));
    expect((await provider.inspect('key')).waiters).toBe(0);
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

  it('serves readers and writers in the order of arrival: a writer does not starve', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(sharedOf('r1'));
    await provider.tryAcquire(claimOf('w'), () => {});
    expect(await provider.tryAcquire(sharedOf('r2'), () => {})).toMatchObject({ granted: false });
    await provider.release(sharedOf('r1'));
    expect(await provider.tryAcquire(sharedOf('r2'), () => {})).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(claimOf('w'), () => {})).toMatchObject({ granted: true });
  });
});
