import { expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import { QueueSetting, claimOf, queueOf, refresh, waiterTtl } from '../../support/queue-setting.ts';

test('each wake says by what it came', async () => {
  const setting = new QueueSetting({ look: true, heardInterval: 100 });
  setting.turns = async () => ['a'];
  await setting.acquire('a');
  await setting.runtime.advance(25);
  expect(setting.causes.splice(0)).toContain('poll');
  setting.latest.heard('a');
  await setting.runtime.advance(100);
  expect(setting.causes.splice(0)).toEqual(['message', 'look']);
  setting.turns = async () => [];
  setting.latest.heard('a', { token: 7n, sentAt: setting.runtime.time, validity: waiterTtl });
  setting.queue.wake('a');
  await setting.runtime.advance(1);
  expect(setting.causes.splice(0)).toEqual(['assigned', 'own']);
  // A wake that follows does not make the claim ask for what it was given.
  setting.attempted();
  expect(await setting.acquire('a')).toMatchObject({ granted: true, token: 7n });
  expect(setting.attempted()).toEqual([]);
  await setting.acquire('b');
  setting.causes.length = 0;
  setting.latest.lost(new Error('gone'));
  await setting.runtime.advance(1);
  expect(setting.causes.splice(0)).toEqual(['gap']);
});

test('a claim that the backend does not name as kept asks at once', async () => {
  const setting = await queueOf('a', 'b', 'c');
  setting.attempted();
  setting.wakes.length = 0;
  // `b` was given the key, and the message is lost.
  setting.keeps = (owner) => owner !== 'b';
  await setting.runtime.advance(0.9 * refresh);
  await setting.acquire('a');
  await setting.runtime.advance(0);
  expect([setting.attempts.splice(0)[0]?.others, setting.wakes, setting.causes]).toEqual([
    ['b', 'c'],
    ['b'],
    ['lapsed'],
  ]);
  await setting.acquire('b');
  expect(setting.attempts.splice(0)).toMatchObject([{ owner: 'b', others: [] }]);
  expect(await setting.acquire('c')).toMatchObject({ granted: false });
  expect(setting.attempts).toEqual([]);
});

test('a first call that is given up before it was sent leaves nothing to release', async () => {
  const setting = new QueueSetting({ together: 1 });
  await setting.acquire('a');
  setting.attempted();
  let answer!: (busy: { granted: false; retryAfter: number }) => void;
  setting.answer = () => new Promise((resolve) => (answer = resolve));
  const before = setting.acquire('b');
  const behind = setting.acquire('c');
  setting.queue.leave(claimOf('c'));
  await expect(behind).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', sent: false });
  answer({ granted: false, retryAfter: refresh });
  await before;
  expect(setting.attempted()).toEqual(['b']);
});

test('all calls settle at a close: in the order of the key, for a subscription, and for the call of another', async () => {
  const closed = new LockError('LOCK_CLOSED', 'closed');
  const setting = new QueueSetting({ together: 1, prompt: false });
  const calls = ['a', 'b', 'b', 'c'].map((owner) => setting.acquire(owner));
  const settled = Promise.allSettled(calls);
  await setting.runtime.advance(1);
  setting.queue.close(closed);
  await setting.runtime.advance(1);
  expect((await settled).map((each) => (each as PromiseRejectedResult).reason as unknown)).toEqual([
    closed,
    closed,
    closed,
    closed,
  ]);
});
