import { describe, expect, it } from 'vitest';
import type { Locks } from '../../../src/index.ts';
import { busyAtOnce, freeAtOnce, rejectAtOnce } from '../../support/scripted-provider.ts';
import { createFreeSetting, createSetting, watch } from '../../support/setting.ts';
import { lockError } from '../../support/lock-error.ts';

const ttl = 1_000;

describe('tryWithLock', () => {
  it('gives the value of work that ran under the lock', async () => {
    const { provider, locks } = createFreeSetting();
    expect(await locks.tryWithLock('key', (lease) => lease.key)).toEqual({ held: true, value: 'key' });
    expect(await locks.tryWithLock('key', { ttl }, () => undefined)).toEqual({ held: true, value: undefined });
    expect(provider.releases).toHaveLength(2);
  });

  it('does not run work when the lock is not free, after one attempt', async () => {
    const { provider, locks } = createSetting({ answers: { tryAcquire: busyAtOnce } });
    let runs = 0;
    expect(await locks.tryWithLock('key', { ttl }, () => (runs += 1))).toEqual({ held: false });
    expect([runs, provider.attempts.length, provider.releases.length]).toEqual([0, 1, 0]);
  });

  it('waits as long as "wait" says', async () => {
    const { runtime, locks } = createSetting({ answers: { tryAcquire: busyAtOnce, release: freeAtOnce } });
    const result = watch(
      locks.tryWithLock('key', { ttl, wait: 500 }, () => {}),
      runtime,
    );
    await runtime.advance(500);
    expect(result).toMatchObject({ state: 'fulfilled', value: { held: false }, at: 1_500 });
  });

  it('rejects with the error of work, and with that of the backend', async () => {
    const { provider, locks } = createFreeSetting();
    const error = new Error('work failed');
    await expect(locks.tryWithLock('key', { ttl }, () => Promise.reject(error))).rejects.toBe(error);
    provider.answers.tryAcquire = rejectAtOnce;
    await expect(locks.tryWithLock('key', () => {})).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it('tells of a loss with the result of work alone', async () => {
    const { locks } = createFreeSetting({ answers: { renew: (call) => call.answer(false) } });
    const done = locks.tryWithLock('key', { ttl }, async (lease) => {
      await lease.renew().catch(() => {});
      return 'written';
    });
    await expect(done).rejects.toMatchObject({ code: 'LOCK_LOST', result: 'written' });
  });

  it('joins the scope of a reentrant withLock, and opens one', async () => {
    const { provider, locks } = createFreeSetting({ reentrant: true });
    const nested = await locks.tryWithLock('key', () => locks.withLock('key', () => locks.tryWithLock('key', () => 1)));
    expect(nested).toEqual({ held: true, value: { held: true, value: 1 } });
    expect(provider.attempts).toHaveLength(1);
  });
});

describe('the work and the options of withLock', () => {
  it.each<[string, (locks: Locks) => Promise<number | undefined>]>([
    ['options, then work', (locks) => locks.withLock('key', { ttl: 700 }, async () => 42)],
    ['work, then options', (locks) => locks.withLock('key', async () => 42, { ttl: 700 })],
  ])('are taken as %s', async (_order, call) => {
    const { provider, locks } = createFreeSetting();
    expect(await call(locks)).toBe(42);
    expect(provider.attempts[0]?.claim.ttl).toBe(700);
  });

  it('need no options', async () => {
    const { locks } = createFreeSetting();
    expect(await locks.withLock('key', undefined, () => 42)).toBe(42);
    expect(await locks.tryWithLock('key', undefined, () => 42)).toEqual({ held: true, value: 42 });
  });

  it.each<[string, (locks: Locks) => Promise<unknown>, string]>([
    ['no work', (locks) => locks.withLock('key', { ttl } as never), 'withLock(key, options, work): "work" must be'],
    ['no work', (locks) => locks.tryWithLock('key', 5 as never), 'tryWithLock(key, options, work): "work" must be'],
    [
      'options behind the work',
      (locks) => locks.tryWithLock('key', (() => {}) as never, { ttl } as never),
      'tryWithLock(key, options, work): pass the options before the work.',
    ],
    ['wrong options', (locks) => locks.withLock('key', { tll: 5 } as never, () => {}), 'unknown option "tll"'],
  ])('are refused: %s', async (_what, call, message) => {
    const { provider, locks } = createFreeSetting();
    await expect(call(locks)).rejects.toMatchObject(lockError('LOCK_INVALID', message));
    expect(provider.calls).toEqual([]);
  });
});
