import { describe, expect, test } from 'vitest';
import { claimOf, queueOf, refresh, waiterTtl } from '../../support/queue-setting.ts';
import type { QueueSetting } from '../../support/queue-setting.ts';

const granted = { granted: true, token: 9n } as const;

/** A claim in the queue, and what a message says that its backend granted to it now. */
async function inQueue(): Promise<{ readonly setting: QueueSetting; assign(floor?: bigint): void }> {
  const setting = await queueOf('a');
  await setting.runtime.advance(0);
  const sentAt = setting.runtime.time;
  await setting.acquire('a');
  setting.attempted();
  setting.wakes.length = 0;
  return { setting, assign: () => setting.latest.heard('a', { token: 7n, sentAt, validity: waiterTtl }) };
}

describe('a claim in the queue whose key was assigned to it', () => {
  test('is woken, and granted without an attempt: for what is left since its last one', async () => {
    const { setting, assign } = await inQueue();
    await setting.runtime.advance(990);
    assign();
    expect(setting.wakes).toEqual(['a']);
    expect(await setting.acquire('a')).toEqual({ granted: true, token: 7n, validity: waiterTtl - 1_000 });
    expect(setting.attempted()).toEqual([]);
    expect(setting.queue.waitsFor('job')).toBe(false);
    setting.latest.heard('a');
    expect(setting.wakes).toEqual(['a']);
  });

  test('attempts again where less than half is left, however late the message is', async () => {
    const { setting, assign } = await inQueue();
    setting.runtime.block(waiterTtl / 2);
    assign();
    setting.answer = async () => granted;
    expect(await setting.acquire('a')).toBe(granted);
    expect(setting.attempted()).toEqual(['a']);
  });

  test('attempts again where its floor was raised, or the message is of no time here', async () => {
    const { setting, assign } = await inQueue();
    setting.answer = async () => granted;
    assign();
    expect(await setting.queue.tryAcquire({ ...claimOf('a'), floor: 7n }, () => {})).toBe(granted);
    const later = await inQueue();
    later.setting.answer = async () => granted;
    const sentAt = later.setting.runtime.time + 1;
    later.setting.latest.heard('a', { token: 7n, sentAt, validity: waiterTtl });
    expect(await later.setting.acquire('a')).toBe(granted);
  });

  test('is granted no longer than a ttl that became shorter', async () => {
    const { setting, assign } = await inQueue();
    assign();
    expect(await setting.queue.tryAcquire({ ...claimOf('a'), ttl: 4_000 }, () => {})).toMatchObject({
      validity: 4_000,
    });
  });

  test('hears of it once: the message that comes after its release changes nothing', async () => {
    const { setting, assign } = await inQueue();
    expect(setting.queue.leave(claimOf('a'))).toBe(true);
    assign();
    expect(setting.wakes).toEqual([]);
    setting.answer = async () => granted;
    expect(await setting.acquire('a')).toBe(granted);
  });
});

describe('leave says whether the claim waited', () => {
  test('not after a grant, with or without a wake, nor while an attempt has no answer', async () => {
    for (const wake of [() => {}, undefined]) {
      const { setting } = await inQueue();
      setting.answer = async () => granted;
      await setting.queue.tryAcquire(claimOf('a'), wake);
      expect(setting.queue.leave(claimOf('a'))).toBe(false);
    }
    const { setting } = await inQueue();
    setting.answer = () => Promise.reject(new Error('no answer'));
    await expect(setting.queue.tryAcquire(claimOf('a'))).rejects.toThrow('no answer');
    expect(setting.queue.leave(claimOf('a'))).toBe(false);
  });

  test('after a busy answer, also one that the queue gave itself', async () => {
    const { setting } = await inQueue();
    await setting.acquire('b');
    await setting.runtime.advance(refresh);
    await setting.acquire('b');
    expect(await setting.acquire('a')).toMatchObject({ granted: false });
    expect(setting.queue.leave(claimOf('a'))).toBe(true);
  });
});
