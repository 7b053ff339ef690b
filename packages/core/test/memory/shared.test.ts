import { describe, expect, it } from 'vitest';
import { claimOf, createMemorySetting, createWakes, sharedOf } from '../support/memory-setting.ts';
import { settle } from '../support/virtual-runtime.ts';

describe('the memory provider, shared', () => {
  it('grants any number without permits, and no more than its permits with them', async () => {
    const { provider } = createMemorySetting();
    for (let index = 0; index < 20; index += 1) {
      expect(await provider.tryAcquire(sharedOf(`r${index}`))).toMatchObject({ granted: true });
    }
    for (const name of ['a', 'b', 'c']) {
      const answer = await provider.tryAcquire({ ...sharedOf(name, 2), key: 'semaphore' });
      expect(answer.granted).toBe(name !== 'c');
    }
  });

  it('gives a permit back on release and on expiry', async () => {
    const { runtime, provider } = createMemorySetting();
    await provider.tryAcquire(sharedOf('a', 2));
    runtime.block(400);
    await provider.tryAcquire(sharedOf('b', 2));
    expect(await provider.tryAcquire(sharedOf('c', 2))).toEqual({ granted: false, retryAfter: 200 });
    runtime.block(600);
    expect(await provider.tryAcquire(sharedOf('c', 2))).toMatchObject({ granted: true });
    expect(await provider.tryAcquire(sharedOf('d', 2))).toMatchObject({ granted: false });
    expect(await provider.release(sharedOf('b', 2))).toBe(true);
    expect(await provider.tryAcquire(sharedOf('d', 2))).toMatchObject({ granted: true });
  });

  it('wakes a queue of readers one by one, each by the grant before it', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('w'));
    for (const name of ['r1', 'r2', 'r3']) await provider.tryAcquire(sharedOf(name), of(name));
    await provider.tryAcquire(claimOf('w2'), of('w2'));
    await provider.release(claimOf('w'));
    for (const name of ['r1', 'r2', 'r3']) {
      await settle();
      expect(woken.at(-1)).toBe(name);
      expect(await provider.tryAcquire(sharedOf(name), of(name))).toMatchObject({ granted: true });
    }
    await settle();
    expect(woken).toEqual(['r1', 'r2', 'r3']);
    for (const name of ['r1', 'r2', 'r3']) await provider.release(sharedOf(name));
    await settle();
    expect(woken).toEqual(['r1', 'r2', 'r3', 'w2']);
  });

  it('wakes no more than there are permits', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(sharedOf('a', 2));
    await provider.tryAcquire(sharedOf('b', 2));
    for (const name of ['c', 'd']) await provider.tryAcquire(sharedOf(name, 2), of(name));
    await provider.release(sharedOf('a', 2));
    await settle();
    expect(await provider.tryAcquire(sharedOf('c', 2), of('c'))).toMatchObject({ granted: true });
    await settle();
    expect(woken).toEqual(['c']);
  });

  it('lets readers in when the holder makes its exclusive hold shared', async () => {
    const { provider } = createMemorySetting();
    const { woken, of } = createWakes();
    await provider.tryAcquire(claimOf('a'));
    await provider.tryAcquire(sharedOf('r'), of('r'));
    await provider.tryAcquire(sharedOf('a'));
    await settle();
    expect(woken).toEqual(['r']);
  });

  it('judges each claim by its own number of permits, and tells it', async () => {
    const { provider } = createMemorySetting();
    await provider.tryAcquire(sharedOf('a', 1));
    expect(await provider.tryAcquire(sharedOf('b', 1))).toMatchObject({ granted: false });
    expect(await provider.tryAcquire(sharedOf('c', 2))).toMatchObject({ granted: true });
    expect(await provider.tryAcquire(sharedOf('d'))).toMatchObject({ granted: true });
    expect(await provider.tryAcquire(sharedOf('e', 3), () => {})).toMatchObject({ granted: false });
    // It does not pass the one in the queue.
    expect(await provider.tryAcquire(sharedOf('f'))).toMatchObject({ granted: false });
    const { holders, queue } = await provider.inspect('key');
    expect(holders.map(({ permits }) => permits)).toEqual([1, 2, undefined]);
    expect(queue).toEqual([{ owner: 'e', mode: 'shared', permits: 3 }]);
  });
});
