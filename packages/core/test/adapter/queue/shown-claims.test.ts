import { describe, expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import { createDeferred } from '../../../src/time/deferred.ts';
import { QueueSetting, busy, claimOf, closed, queueOf, refresh, timeout } from '../../support/queue-setting.ts';
import { watch } from '../../support/setting.ts';

const granted = { granted: true, token: 7n } as const;

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `w${from + index}`);

/** A queue with so many claims, which look again when the subscription is open. */
async function queued(count: number): Promise<QueueSetting> {
  const setting = new QueueSetting();
  for (const owner of names(0, count)) await setting.acquire(owner);
  await setting.runtime.advance(0);
  setting.attempts.length = 0;
  await setting.acquire('w0');
  // It comes before its time, so it has a reason.
  expect(setting.attempts.splice(0)).toEqual([{ owner: 'w0', others: [], within: timeout }]);
  return setting;
}

describe('a call that is due', () => {
  test('shows a hundred claims, those first that were not shown for longest', async () => {
    const setting = await queued(250);
    await setting.runtime.advance(0.9 * refresh);
    for (const owner of ['w249', 'w248', 'w247']) await setting.acquire(owner);
    // `w0` was shown by its own call after the others.
    expect(setting.attempts.map(({ others }) => others)).toEqual([
      names(1, 101),
      names(101, 201),
      [...names(201, 247), 'w0'],
    ]);
  });

  test('shows no claims of other keys, and none that looks for the end of a hold itself', async () => {
    const setting = await queued(3);
    await setting.acquire('z', 'other');
    setting.answer = async () => ({ granted: false, retryAfter: refresh / 4 });
    await setting.acquire('w2');
    setting.answer = async () => ({ granted: false, retryAfter: refresh });
    await setting.runtime.advance(0.9 * refresh);
    setting.attempts.length = 0;
    await setting.acquire('w1');
    expect(setting.attempts).toMatchObject([{ owner: 'w1', others: ['w0'] }]);
  });

  test('shows none where the claim was woken, as it may be its turn', async () => {
    const setting = await queued(3);
    await setting.runtime.advance(0.9 * refresh);
    setting.latest.heard('w1');
    await setting.acquire('w1');
    expect(setting.attempts).toMatchObject([{ owner: 'w1', others: [] }]);
  });

  test('is sent by a claim that was shown, when that was woken or its own sign of life is due', async () => {
    const setting = await queued(3);
    await setting.runtime.advance(0.9 * refresh);
    await setting.acquire('w0');
    setting.latest.heard('w1');
    await setting.acquire('w1');
    expect(await setting.acquire('w2')).toMatchObject({ granted: false });
    expect(setting.attempts.map(({ owner, others }) => [owner, others])).toEqual([
      ['w0', ['w1', 'w2']],
      ['w1', []],
    ]);
    await setting.runtime.advance(0.9 * refresh);
    await setting.acquire('w2');
    expect(setting.attempts.at(-1)).toMatchObject({ owner: 'w2', others: ['w0', 'w1'] });
  });

  test('shows no claim that has left', async () => {
    const setting = await queued(3);
    setting.queue.leave(claimOf('w1'));
    await setting.runtime.advance(0.9 * refresh);
    await setting.acquire('w0');
    expect(setting.attempts).toMatchObject([{ owner: 'w0', others: ['w2'] }]);
  });
});

describe('a claim that is shown by a call without an answer yet', () => {
  async function shown() {
    const setting = await queueOf('a', 'b');
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
    setting.queue.leave(claimOf('b'));
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
