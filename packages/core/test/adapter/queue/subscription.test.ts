import { describe, expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import {
  QueueSetting,
  busy,
  claimOf,
  closed,
  patience,
  polling,
  queueOf,
  refresh,
  timeout,
  waiterTtl,
} from '../../support/queue-setting.ts';
import { watch } from '../../support/setting.ts';

const refused = new LockError('LOCK_MISCONFIGURED', 'The backend refuses SUBSCRIBE.');

describe('a subscription', () => {
  test('that is refused for good rejects the claims that wait for it, and is tried again by the next', async () => {
    const setting = new QueueSetting({ prompt: false });
    const calls = ['a', 'b'].map((owner) => watch(setting.acquire(owner)));
    await setting.runtime.advance(1);
    setting.latest.refuse(refused);
    await setting.runtime.advance(10 * waiterTtl);
    expect(calls.map(({ error }) => error)).toEqual([refused, refused]);
    expect([setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 0]);
    setting.prompt = true;
    expect(await setting.acquire('c')).toEqual(busy);
    expect(setting.opened).toHaveLength(2);
  });

  test('that fails is opened again after pauses that double to a second; claims poll outside the queue until then', async () => {
    const setting = new QueueSetting({ prompt: false });
    const call = watch(setting.acquire('a'));
    const openedAt: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      while (setting.opened.length === round) await setting.runtime.advance(1);
      openedAt.push(setting.runtime.time);
      setting.latest.refuse(new Error('connection refused'));
    }
    expect(openedAt.map((at, index) => at - (openedAt[index - 1] ?? at))).toEqual([0, 50, 100, 200, 400, 800, 1_000]);
    expect(call.value).toEqual(polling);
    expect(await setting.acquire('b')).toEqual(polling);
    expect(setting.attempted()).toEqual(['a alone', 'b alone']);
    setting.prompt = true;
    await setting.runtime.advance(1_000);
    expect(setting.wakes).toEqual(['a', 'b']);
    expect(await setting.acquire('a')).toEqual(busy);
    expect(setting.attempted()).toEqual(['a']);
  });

  test('that is silent while it is opened is waited for once, given up after the timeout, and closed when it comes late', async () => {
    const setting = new QueueSetting({ prompt: false });
    const call = watch(setting.acquire('a'), setting.runtime);
    await setting.runtime.advance(patience + 32);
    expect(call.value).toEqual(polling);
    expect(call.at! - setting.start).toBeGreaterThanOrEqual(patience);
    // The patience is over for those that come later.
    expect(await setting.acquire('b')).toEqual(polling);
    const [silent] = setting.opened;
    await setting.runtime.advance(timeout);
    expect([silent?.signal.aborted, setting.opened.length]).toEqual([true, 2]);
    silent?.accept();
    setting.latest.accept();
    await setting.runtime.advance(1);
    expect([silent?.closed, setting.latest.closed]).toEqual([1, 0]);
  });

  test('that is lost is opened again, and then all claims look again', async () => {
    const setting = await queueOf('a', 'b');
    const [first] = setting.opened;
    first?.lost(new Error('connection closed'));
    first?.lost(new Error('connection ended'));
    expect([first?.closed, first?.signal.aborted, setting.opened.length]).toEqual([1, true, 1]);
    await setting.runtime.advance(50);
    expect([setting.opened.length, setting.wakes]).toEqual([2, ['a', 'b']]);
    setting.latest.heard('b');
    expect(setting.wakes).toEqual(['a', 'b', 'b']);
  });

  test('that is lost before it is open counts as failed', async () => {
    const setting = new QueueSetting({ prompt: false });
    const call = watch(setting.acquire('a'));
    await setting.runtime.advance(1);
    const [first] = setting.opened;
    first?.lost(new Error('connection closed'));
    first?.accept();
    await setting.runtime.advance(50);
    expect([first?.closed, setting.opened.length]).toEqual([1, 2]);
    setting.latest.accept();
    await setting.runtime.advance(1);
    expect(call.value).toEqual(busy);
  });

  test('that is lost while no claim waits is opened by the next one that must', async () => {
    const setting = await queueOf('a');
    setting.queue.leave(claimOf('a'));
    setting.latest.lost(new Error('connection closed'));
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 0]);
    expect(await setting.acquire('b')).toEqual(busy);
    expect(setting.opened).toHaveLength(2);
  });

  test('that was silent is probed while a claim waits, once at a time, and replaced if it does not answer', async () => {
    const setting = await queueOf('a');
    await setting.runtime.advance(refresh - 1);
    await setting.acquire('a');
    expect(setting.latest.probes).toBe(0);
    await setting.runtime.advance(1);
    await setting.acquire('b');
    expect(setting.latest.probes).toBe(1);
    await setting.acquire('c');
    expect(setting.latest.probes).toBe(1);
    // A message says as much as a probe.
    await setting.runtime.advance(refresh - 1);
    setting.latest.heard();
    await setting.runtime.advance(refresh - 1);
    await setting.acquire('d');
    expect(setting.latest.probes).toBe(1);
    setting.probe = () => new Promise(() => {});
    await setting.runtime.advance(1);
    for (const owner of ['e', 'f']) await setting.acquire(owner);
    expect([setting.latest.probes, setting.latest.closed]).toEqual([2, 0]);
    await setting.runtime.advance(timeout + 32);
    expect(setting.opened[0]?.closed).toBe(1);
    await setting.runtime.advance(50);
    expect(setting.opened).toHaveLength(2);
  });

  test('keeps no process running', async () => {
    const setting = await queueOf('a');
    setting.latest.lost(new Error('connection closed'));
    expect([setting.runtime.pendingTimers > 0, setting.runtime.keepAliveTimers]).toEqual([true, 0]);
  });
});

describe('a queue that is closed', () => {
  test('wakes its claims a last time, ends the subscription, and rejects later calls', async () => {
    const setting = await queueOf('a');
    setting.queue.close(closed);
    expect(setting.wakes).toEqual([]);
    await Promise.resolve();
    expect([setting.wakes, setting.latest.closed]).toEqual([['a'], 1]);
    await expect(setting.acquire('a')).rejects.toBe(closed);
    await expect(setting.queue.tryAcquire(claimOf('b'))).rejects.toBe(closed);
    setting.latest.heard('a');
    setting.latest.lost(new Error('connection closed'));
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.wakes.length, setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 1, 0]);
  });

  test('while it subscribes rejects the claims that wait for that, and closes a listener that comes late', async () => {
    const setting = new QueueSetting({ prompt: false });
    const call = watch(setting.acquire('a'));
    await setting.runtime.advance(1);
    setting.queue.close(closed);
    expect(setting.latest.signal.aborted).toBe(true);
    await setting.runtime.advance(1);
    expect(call.error).toBe(closed);
    setting.latest.accept();
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.latest.closed, setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 1, 0]);
  });

  test('between two subscriptions opens no other', async () => {
    const setting = await queueOf('a');
    setting.latest.lost(new Error('connection closed'));
    setting.queue.close(closed);
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 0]);
  });
});
