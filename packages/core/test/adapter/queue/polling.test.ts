import { describe, expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import { QueueSetting, busy, claimOf } from '../../support/queue-setting.ts';

describe('a queue that only looks', () => {
  const create = (): QueueSetting => new QueueSetting({ look: true, listen: false });

  test('looks at all keys that claims wait for at once, and wakes the one whose turn it is', async () => {
    const setting = create();
    setting.turns = async () => ['b1'];
    for (const [owner, key] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
    ] as const)
      await setting.acquire(owner, key);
    expect(setting.attempted()).toEqual(['a1', 'a2', 'b1']);
    await setting.runtime.advance(25);
    expect([setting.looks, setting.wakes]).toEqual([[['a', 'b']], ['b1']]);
    await setting.runtime.advance(50);
    expect(setting.looks).toHaveLength(3);
  });

  test('does nothing while no claim waits, and keeps no process running', async () => {
    const setting = create();
    await setting.acquire('a');
    expect([setting.runtime.pendingTimers, setting.runtime.keepAliveTimers]).toEqual([1, 0]);
    setting.queue.leave(claimOf('a'));
    await setting.runtime.advance(100);
    expect([setting.looks.length, setting.runtime.pendingTimers]).toEqual([0, 0]);
  });

  test('has one look under way at a time, and goes on after one that failed', async () => {
    const setting = create();
    let fail!: (reason: Error) => void;
    setting.turns = () => new Promise((_, reject) => (fail = reject));
    await setting.acquire('a');
    await setting.runtime.advance(100);
    await setting.acquire('a');
    await setting.runtime.advance(100);
    expect(setting.looks).toHaveLength(1);
    setting.turns = async () => ['a'];
    fail(new Error('no answer'));
    await setting.runtime.advance(25);
    expect([setting.looks.length, setting.wakes]).toEqual([2, ['a']]);
  });

  test('wakes no claim by a look that is answered after its close', async () => {
    const setting = create();
    let answer!: (owners: readonly string[]) => void;
    setting.turns = () => new Promise((resolve) => (answer = resolve));
    await setting.acquire('a');
    await setting.runtime.advance(25);
    setting.queue.close(new LockError('LOCK_CLOSED', 'closed'));
    await setting.runtime.advance(1);
    expect(setting.wakes).toEqual(['a']);
    answer(['a']);
    await setting.runtime.advance(100);
    expect([setting.looks.length, setting.wakes.length, setting.runtime.pendingTimers]).toEqual([1, 1, 0]);
  });

  test('answers the next attempt with a grant that a look finds, for as long as it lasts from that look', async () => {
    const setting = new QueueSetting({ look: true, listen: false });
    await setting.acquire('a');
    await setting.acquire('b');
    const assigned = { token: 7n, validity: 4_000 };
    setting.turns = async () => [
      { owner: 'a', assigned },
      { owner: 'of another process', assigned },
    ];
    await setting.runtime.advance(25);
    expect(setting.wakes).toEqual(['a']);
    setting.attempts.length = 0;
    setting.turns = async () => [];
    await setting.runtime.advance(99);
    const found = await setting.acquire('a');
    expect(found).toMatchObject({ granted: true, token: 7n, validity: expect.closeTo(3_900, -2) });
    expect((found as { validity: number }).validity).toBeLessThanOrEqual(3_901);
    expect(setting.attempts).toEqual([]);
  });

  test('makes the cheaper attempt first, on keys that no claim of the process waits for', async () => {
    const tried: string[] = [];
    const setting = new QueueSetting({
      look: true,
      listen: false,
      tryFree: ({ owner }) => {
        if (owner.startsWith('shared')) return undefined;
        tried.push(owner);
        return Promise.resolve(owner.startsWith('free') ? { granted: true, token: 7n } : undefined);
      },
    });
    expect(await setting.acquire('free 1')).toMatchObject({ granted: true });
    expect(await setting.queue.tryAcquire(claimOf('free 2'))).toMatchObject({ granted: true });
    expect(setting.attempted()).toEqual([]);
    expect(await setting.queue.tryAcquire(claimOf('a'))).toEqual(busy);
    expect(await setting.queue.tryAcquire(claimOf('shared'))).toEqual(busy);
    for (const owner of ['b', 'b', 'free 3']) expect(await setting.acquire(owner)).toEqual(busy);
    expect(tried).toEqual(['free 1', 'free 2', 'a']);
    expect(setting.attempted()).toEqual(['a alone', 'shared alone', 'b', 'b', 'free 3']);
  });

  test('makes no cheaper attempt on a key that it found busy lately, and had no grant of at once since', async () => {
    const tried: string[] = [];
    const setting = new QueueSetting({
      look: true,
      listen: false,
      tryFree: async ({ owner }) => void tried.push(owner),
    });
    const attempt = (owner: string): Promise<unknown> => setting.queue.tryAcquire(claimOf(owner));
    expect(await attempt('finds it busy')).toEqual(busy);
    await setting.runtime.advance(499);
    expect(await attempt('again, which counts')).toEqual(busy);
    await setting.runtime.advance(499);
    expect(await attempt('still lately')).toEqual(busy);
    await setting.runtime.advance(500);
    expect(await attempt('long after')).toEqual(busy);
    setting.answer = async () => ({ granted: true, token: 7n });
    expect(await attempt('is granted at once')).toMatchObject({ granted: true });
    expect(await attempt('then')).toMatchObject({ granted: true });
    expect(tried).toEqual(['finds it busy', 'long after', 'then']);
  });

  test('remembers so many busy keys, and forgets the oldest of more', async () => {
    const tried: string[] = [];
    const setting = new QueueSetting({ look: true, listen: false, tryFree: async ({ key }) => void tried.push(key) });
    const attempt = (key: number): Promise<unknown> =>
      setting.queue.tryAcquire({ ...claimOf(`${tried.length}`), key: `${key}` });
    for (let key = 0; key <= 256; key += 1) await attempt(key);
    tried.length = 0;
    for (const key of [256, 1, 0]) await attempt(key);
    expect(tried).toEqual(['0']);
  });
});

test('a claim that the cheaper attempt grants has no place, though an earlier attempt was in doubt', async () => {
  let free = false;
  const setting = new QueueSetting({
    look: true,
    listen: false,
    tryFree: async () => (free ? { granted: true, token: 7n } : undefined),
  });
  setting.answer = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no answer'));
  await expect(setting.acquire('a')).rejects.toThrow('no answer');
  free = true;
  expect(await setting.acquire('a')).toMatchObject({ granted: true });
  setting.queue.wake('a');
  await setting.runtime.advance(1);
  expect(setting.wakes).toEqual([]);
});
