import { describe, expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import { createDeferred } from '../../../src/time/deferred.ts';
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

const granted = { granted: true, token: 7n } as const;

describe('a queue', () => {
  test('whose keys are always free opens no subscription, and sets no timer of its own', async () => {
    const setting = new QueueSetting();
    setting.answer = async () => granted;
    expect(await setting.acquire('a')).toBe(granted);
    expect(await setting.queue.tryAcquire(claimOf('b'))).toBe(granted);
    expect(setting.attempted()).toEqual(['a alone', 'b alone']);
    expect(setting.opened).toEqual([]);
  });

  test('never subscribes for a claim that does not wait', async () => {
    const setting = new QueueSetting();
    expect(await setting.queue.tryAcquire(claimOf('a'))).toEqual(busy);
    expect(setting.opened).toEqual([]);
  });

  test('subscribes before its first claim takes a place, and once for all claims', async () => {
    const setting = new QueueSetting({ prompt: false });
    const first = watch(setting.acquire('a'));
    const second = watch(setting.acquire('b', 'other'));
    await setting.runtime.advance(1);
    expect(setting.attempted()).toEqual(['a alone', 'b alone']);
    setting.latest.accept();
    await setting.runtime.advance(1);
    expect(setting.attempted()).toEqual(['a', 'b']);
    expect([first.value, second.value, setting.opened.length]).toEqual([busy, busy, 1]);
    // They were sent after it was open, so no message was lost.
    expect(setting.wakes).toEqual([]);
  });

  test('puts a waiter that comes late into the queue by one attempt', async () => {
    const setting = await queueOf('a');
    setting.attempted();
    expect(await setting.acquire('late')).toEqual(busy);
    expect(setting.attempts).toEqual([{ owner: 'late', others: [], within: timeout }]);
    setting.latest.heard('late');
    setting.answer = async () => granted;
    expect(await setting.acquire('late')).toBe(granted);
    setting.wakes.length = 0;
    setting.latest.heard('late');
    expect(setting.wakes).toEqual([]);
  });

  test('keeps the places of several claims by one call', async () => {
    const setting = await queueOf('a', 'b', 'c');
    // The subscription woke the first one, which looks again.
    await setting.acquire('a');
    setting.attempted();
    await setting.runtime.advance(0.9 * refresh);
    await setting.acquire('a');
    expect(setting.attempts.splice(0)).toEqual([{ owner: 'a', others: ['b', 'c'], within: timeout }]);
    await setting.runtime.advance(1);
    expect(await setting.acquire('b')).toMatchObject({ granted: false, retryAfter: refresh - 1 });
    expect(setting.attempts).toEqual([]);
  });

  test('lets each claim hear a rejection itself: a claim that tries again shows no others', async () => {
    const setting = await queueOf('a', 'b', 'c');
    await setting.acquire('a');
    setting.attempted();
    setting.answer = async () => {
      throw new LockError('LOCK_UNAVAILABLE', 'The backend grants nothing at present.', { sent: false });
    };
    for (const share of [0.9, 0.95, 1, 1.6, 1.9, 2]) {
      await setting.runtime.advance(setting.start + share * refresh - setting.runtime.time);
      await expect(setting.acquire('a'), `${share}`).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    }
    expect(setting.attempts.splice(0).map(({ others }) => others?.length)).toEqual([2, 0, 0, 0, 0, 0]);
    for (const owner of ['b', 'c']) {
      await expect(setting.acquire(owner), owner).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    }
  });

  test('passes on a wake that comes before the attempt is answered, to the latest callback', async () => {
    const setting = await queueOf('a');
    const answer = createDeferred<typeof busy>();
    setting.answer = () => answer.promise;
    const attempt = setting.queue.tryAcquire(claimOf('b'), () => setting.wakes.push('b, the latest'));
    setting.latest.heard('b');
    answer.resolve(busy);
    await attempt;
    expect(setting.wakes).toEqual(['b, the latest']);
  });

  test('tells a turn that came with an answer, not synchronously', async () => {
    const setting = await queueOf('a');
    setting.queue.wake('a');
    setting.queue.wake('a stranger');
    expect(setting.wakes).toEqual([]);
    await Promise.resolve();
    expect(setting.wakes).toEqual(['a']);
  });

  test('bounds all steps of a call by one timeout', async () => {
    const setting = new QueueSetting({ prompt: false });
    const first = createDeferred<typeof busy>();
    setting.answer = ({ others }) => (others === undefined ? first.promise : Promise.resolve(busy));
    const call = setting.acquire('a');
    await setting.runtime.advance(0.9 * timeout);
    first.resolve(busy);
    await setting.runtime.advance(0.05 * timeout);
    setting.latest.accept();
    expect(await call).toEqual(busy);
    expect(setting.attempts.at(-1)).toEqual({ owner: 'a', others: [], within: 0.05 * timeout });
  });
});

test('an adapter can spread a queue into one of its own', async () => {
  const setting = new QueueSetting();
  setting.answer = async () => granted;
  const own = { ...setting.queue };
  expect(await own.tryAcquire(claimOf('a'), () => {})).toBe(granted);
  expect([own.waitsFor(claimOf('a').key), own.leave(claimOf('a'))]).toEqual([false, false]);
});

test('a queue tells which keys its claims wait for', async () => {
  const setting = await queueOf('a');
  const { key } = claimOf('a');
  expect([key, 'other'].map((name) => setting.queue.waitsFor(name))).toEqual([true, false]);
  setting.queue.leave(claimOf('a'));
  expect(setting.queue.waitsFor(key)).toBe(false);
});

test('a claim that the cheaper attempt leaves undecided is decided also without a subscription', async () => {
  const setting = new QueueSetting({ tryFree: async () => undefined, prompt: false });
  setting.answer = async () => granted;
  const call = watch(setting.acquire('a'));
  await setting.runtime.advance(patience + 32);
  expect(call.value).toBe(granted);
});

describe('a claim with several attempts at once', () => {
  /** Two calls: the first waits for the subscription, and the second for the first. */
  async function calling() {
    const setting = new QueueSetting({ prompt: false });
    const calls = [watch(setting.acquire('a')), watch(setting.acquire('a'))];
    await setting.runtime.advance(1);
    expect(calls.map(({ value }) => value)).toEqual([undefined, undefined]);
    return { setting, calls };
  }

  test('has one of them under way at a time, and what it was granted is the answer to all', async () => {
    const { setting, calls } = await calling();
    setting.answer = async () => granted;
    setting.latest.accept();
    await setting.runtime.advance(1);
    expect(calls.map(({ value }) => value)).toMatchObject([granted, { granted: true, token: 7n }]);
    expect(setting.attempted()).toEqual(['a alone', 'a']);
  });

  test('has one of them under way also where it is alone on its key', async () => {
    const setting = new QueueSetting();
    const answer = createDeferred<typeof granted>();
    setting.answer = () => answer.promise;
    const calls = [setting.acquire('a'), setting.acquire('a')];
    await setting.runtime.advance(1);
    answer.resolve(granted);
    expect(await Promise.all(calls)).toMatchObject([granted, granted]);
    expect(setting.attempted()).toEqual(['a alone']);
  });

  test('is not granted again after its release', async () => {
    const setting = new QueueSetting({ prompt: false });
    const first = setting.acquire('a');
    await setting.runtime.advance(1);
    setting.latest.heard('a', { token: 7n, sentAt: setting.runtime.time, validity: 30_000 });
    setting.queue.leave(claimOf('a'));
    setting.latest.accept();
    expect(await first).toEqual(polling);
  });
});

describe('a claim that leaves', () => {
  test('is woken no more: aborted, or released', async () => {
    const setting = await queueOf('a');
    setting.queue.leave(claimOf('a'));
    setting.latest.heard('a');
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.wakes, setting.runtime.pendingTimers]).toEqual([[], 0]);
  });

  test('while the subscription is being opened takes no place any more', async () => {
    const setting = new QueueSetting({ prompt: false });
    const call = setting.acquire('a');
    await setting.runtime.advance(1);
    setting.queue.leave(claimOf('a'));
    setting.latest.accept();
    expect(await call).toEqual(polling);
    expect(setting.attempted()).toEqual(['a alone']);
  });

  test('while its first attempt is under way, alone on its key, takes no place any more', async () => {
    const setting = new QueueSetting();
    const answer = createDeferred<typeof busy>();
    setting.answer = () => answer.promise;
    const call = setting.acquire('a');
    setting.queue.leave(claimOf('a'));
    answer.resolve(busy);
    expect(await call).toEqual(polling);
    expect(setting.attempted()).toEqual(['a alone']);
  });

  test('as its provider closes hears so also while its first attempt is under way', async () => {
    const setting = new QueueSetting();
    setting.answer = () => new Promise(() => {});
    void setting.acquire('a');
    setting.queue.close(closed);
    await setting.runtime.advance(0);
    expect(setting.causes).toEqual(['closed']);
  });

  test.each(['LOCK_INVALID', 'LOCK_MISCONFIGURED', 'LOCK_CLOSED'] as const)(
    'because it was refused with %s has no place',
    async (code) => {
      const setting = await queueOf('a');
      setting.answer = () => Promise.reject(new LockError(code, 'not, and will not'));
      await expect(setting.acquire('a')).rejects.toMatchObject({ code });
      setting.latest.heard('a');
      expect(setting.wakes).toEqual([]);
    },
  );

  test('is one that was never sent, unless an earlier call may have brought it into the queue', async () => {
    const setting = await queueOf('a');
    setting.answer = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no connection', { sent: false }));
    for (const owner of ['a', 'b']) await expect(setting.acquire(owner)).rejects.toThrow('no connection');
    for (const owner of ['a', 'b']) setting.latest.heard(owner);
    expect(setting.wakes).toEqual(['a']);
  });

  test('is not one whose answer is unknown', async () => {
    const setting = await queueOf('a');
    setting.answer = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no answer'));
    await expect(setting.acquire('b')).rejects.toThrow('no answer');
    setting.latest.heard('b');
    expect(setting.wakes).toEqual(['b']);
  });
});
