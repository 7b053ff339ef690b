import { describe, expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import { createDeferred } from '../../support/deferred.ts';
import { QueueSetting, claimOf, refresh, timeout, waiterTtl } from '../../support/queue-setting.ts';
import { watch } from '../../support/setting.ts';

const granted = { granted: true, token: 7n } as const;
const busy = { granted: false, retryAfter: refresh } as const;
/** What a claim is told that has no position in the queue. */
const polling = { granted: false, retryAfter: waiterTtl / 24 } as const;
/** How long the first claim waits for a subscription. */
const patience = refresh / 2;
const closed = new LockError('LOCK_CLOSED', 'The provider is closed.');
const refused = new LockError('LOCK_MISCONFIGURED', 'The backend refuses SUBSCRIBE.');

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
    const setting = new QueueSetting();
    setting.prompt = false;
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

  test('lets first calls on a key in one after the other, in the order of the calls', async () => {
    const setting = new QueueSetting();
    const slow = createDeferred<typeof busy>();
    setting.answer = ({ owner, others }) =>
      owner === 'a' && others === undefined ? slow.promise : Promise.resolve(busy);
    const calls = ['a', 'b', 'c'].map((owner) => watch(setting.acquire(owner)));
    await setting.runtime.advance(1);
    expect([calls.map(({ value }) => value), setting.attempted()]).toEqual([
      [undefined, undefined, undefined],
      ['a alone'],
    ]);
    slow.resolve(busy);
    await setting.runtime.advance(1);
    expect(calls.map(({ value }) => value)).toEqual([busy, busy, busy]);
    expect(setting.attempted()).toEqual(['a', 'b', 'c']);
  });

  test('puts a waiter that comes late into the queue by one attempt', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
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
    const setting = new QueueSetting();
    for (const owner of ['a', 'b', 'c']) await setting.acquire(owner);
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

  describe('a claim that is shown by a call without an answer yet', () => {
    async function shown() {
      const setting = new QueueSetting();
      for (const owner of ['a', 'b']) await setting.acquire(owner);
      await setting.acquire('a');
      setting.attempted();
      await setting.runtime.advance(0.9 * refresh);
      const answer = createDeferred<typeof busy>();
      setting.answer = ({ owner }) => (owner === 'a' ? answer.promise : Promise.resolve(granted));
      const first = watch(setting.acquire('a'));
      const second = watch(setting.acquire('b'));
      await setting.runtime.advance(10);
      expect([first.value, second.value]).toEqual([undefined, undefined]);
      expect(setting.attempted()).toEqual(['a']);
      return { setting, answer, second };
    }

    test('is busy when that call is answered, without a call of its own', async () => {
      const { setting, answer, second } = await shown();
      answer.resolve(busy);
      await setting.runtime.advance(1);
      expect(second.value).toMatchObject({ granted: false, retryAfter: refresh - 10 });
      expect(setting.attempted()).toEqual([]);
    });

    test('asks itself when that call is rejected', async () => {
      const { setting, answer, second } = await shown();
      answer.reject(new LockError('LOCK_UNAVAILABLE', 'No answer.'));
      await setting.runtime.advance(1);
      expect(second.value).toBe(granted);
      expect(setting.attempts).toMatchObject([{ owner: 'b', within: timeout - 10 }]);
    });

    test('asks itself when it is its turn', async () => {
      const { setting, second } = await shown();
      setting.latest.heard('b');
      await setting.runtime.advance(1);
      expect(second.value).toBe(granted);
    });

    test('does not come back after its release', async () => {
      const { setting, second } = await shown();
      setting.queue.leave('b');
      await setting.runtime.advance(1);
      expect(second.value).toMatchObject({ granted: false });
      expect(setting.attempted()).toEqual([]);
    });

    test('hears that its provider is closed', async () => {
      const { setting, second } = await shown();
      setting.queue.close(closed);
      await setting.runtime.advance(1);
      expect(second.error).toBe(closed);
    });
  });

  test('lets each claim hear a rejection itself: a claim that tries again shows no others', async () => {
    const setting = new QueueSetting();
    for (const owner of ['a', 'b', 'c']) await setting.acquire(owner);
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
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.wakes.length = 0;
    const answer = createDeferred<typeof busy>();
    setting.answer = () => answer.promise;
    const attempt = setting.queue.tryAcquire(claimOf('b'), () => setting.wakes.push('b, the latest'));
    setting.latest.heard('b');
    answer.resolve(busy);
    await attempt;
    expect(setting.wakes).toEqual(['b, the latest']);
  });

  test('tells a turn that came with an answer, not synchronously', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.wakes.length = 0;
    setting.queue.wake('a');
    setting.queue.wake('a stranger');
    expect(setting.wakes).toEqual([]);
    await Promise.resolve();
    expect(setting.wakes).toEqual(['a']);
  });

  test('bounds all steps of a call by one timeout', async () => {
    const setting = new QueueSetting();
    setting.prompt = false;
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

test('a queue tells which keys its claims wait for', async () => {
  const setting = new QueueSetting();
  await setting.acquire('a');
  const { key } = claimOf('a');
  expect([key, 'other'].map((name) => setting.queue.waitsFor(name))).toEqual([true, false]);
  setting.queue.leave('a');
  expect(setting.queue.waitsFor(key)).toBe(false);
});

test('a claim that the cheaper attempt leaves undecided is decided also without a subscription', async () => {
  const setting = new QueueSetting({ tryFree: async () => undefined });
  setting.prompt = false;
  setting.answer = async () => granted;
  const call = watch(setting.acquire('a'));
  await setting.runtime.advance(patience + 32);
  expect(call.value).toBe(granted);
});

describe('a claim with several attempts at once', () => {
  /** Two calls: the first waits for the subscription, and the second for the first. */
  async function calling() {
    const setting = new QueueSetting();
    setting.prompt = false;
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

  test('is not granted again after its release', async () => {
    const setting = new QueueSetting();
    setting.prompt = false;
    const first = setting.acquire('a');
    await setting.runtime.advance(1);
    setting.latest.heard('a', { token: 7n, sentAt: setting.runtime.time, validity: 30_000 });
    setting.queue.leave('a');
    setting.latest.accept();
    expect(await first).toEqual(polling);
  });
});

describe('a claim that leaves', () => {
  test('is woken no more: aborted, or released', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.wakes.length = 0;
    setting.queue.leave('a');
    setting.latest.heard('a');
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.wakes, setting.runtime.pendingTimers]).toEqual([[], 0]);
  });

  test('while the subscription is being opened takes no place any more', async () => {
    const setting = new QueueSetting();
    setting.prompt = false;
    const call = setting.acquire('a');
    await setting.runtime.advance(1);
    setting.queue.leave('a');
    setting.latest.accept();
    expect(await call).toEqual(polling);
    expect(setting.attempted()).toEqual(['a alone']);
  });

  test.each(['LOCK_INVALID', 'LOCK_MISCONFIGURED', 'LOCK_CLOSED'] as const)(
    'because it was refused with %s has no place',
    async (code) => {
      const setting = new QueueSetting();
      await setting.acquire('a');
      setting.wakes.length = 0;
      setting.answer = () => Promise.reject(new LockError(code, 'not, and will not'));
      await expect(setting.acquire('a')).rejects.toMatchObject({ code });
      setting.latest.heard('a');
      expect(setting.wakes).toEqual([]);
    },
  );

  test('is one that was never sent, unless an earlier call may have brought it into the queue', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.wakes.length = 0;
    setting.answer = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no connection', { sent: false }));
    for (const owner of ['a', 'b']) await expect(setting.acquire(owner)).rejects.toThrow('no connection');
    for (const owner of ['a', 'b']) setting.latest.heard(owner);
    expect(setting.wakes).toEqual(['a']);
  });

  test('is not one whose answer is unknown', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.wakes.length = 0;
    setting.answer = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no answer'));
    await expect(setting.acquire('b')).rejects.toThrow('no answer');
    setting.latest.heard('b');
    expect(setting.wakes).toEqual(['b']);
  });
});

describe('a subscription', () => {
  test('that is refused for good rejects the claims that wait for it, and is tried again by the next', async () => {
    const setting = new QueueSetting();
    setting.prompt = false;
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
    const setting = new QueueSetting();
    setting.prompt = false;
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
    const setting = new QueueSetting();
    setting.prompt = false;
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
    const setting = new QueueSetting();
    for (const owner of ['a', 'b']) await setting.acquire(owner);
    setting.wakes.length = 0;
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
    const setting = new QueueSetting();
    setting.prompt = false;
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
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.queue.leave('a');
    setting.latest.lost(new Error('connection closed'));
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 0]);
    expect(await setting.acquire('b')).toEqual(busy);
    expect(setting.opened).toHaveLength(2);
  });

  test('that was silent is probed while a claim waits, once at a time, and replaced if it does not answer', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
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
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.latest.lost(new Error('connection closed'));
    expect([setting.runtime.pendingTimers > 0, setting.runtime.keepAliveTimers]).toEqual([true, 0]);
  });
});

describe('a queue that is closed', () => {
  test('wakes its claims a last time, ends the subscription, and rejects later calls', async () => {
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.wakes.length = 0;
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
    const setting = new QueueSetting();
    setting.prompt = false;
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
    const setting = new QueueSetting();
    await setting.acquire('a');
    setting.latest.lost(new Error('connection closed'));
    setting.queue.close(closed);
    await setting.runtime.advance(10 * waiterTtl);
    expect([setting.opened.length, setting.runtime.pendingTimers]).toEqual([1, 0]);
  });
});
