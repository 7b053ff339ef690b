import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../src/time/deferred.ts';
import { createFreeSetting, createSetting, watch } from '../support/setting.ts';
import { settle } from '../support/virtual-runtime.ts';

describe('what keeps the process running', () => {
  it('is a withLock, until its work has ended and the release was answered', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    delete provider.answers.release;
    const work = createDeferred();
    const done = watch(locks.withLock('key', () => work.promise));
    await settle();
    expect(runtime.keepAliveTimers).toBe(1);
    work.resolve();
    await settle();
    expect([done.state, runtime.keepAliveTimers]).toEqual(['open', 1]);
    provider.open('release').answer(true);
    await settle();
    expect([done.state, runtime.keepAliveTimers]).toEqual(['fulfilled', 0]);
  });

  it('are several withLock, with one timer, for as long as they last', async () => {
    const { runtime, locks } = createFreeSetting();
    const works = Array.from({ length: 3 }, () => createDeferred());
    for (const [index, work] of works.entries()) watch(locks.withLock(`key ${index}`, () => work.promise));
    await runtime.advance(600_000);
    for (const work of works) {
      expect(runtime.keepAliveTimers).toBe(1);
      work.resolve();
      await settle();
    }
    expect(runtime.keepAliveTimers).toBe(0);
    watch(locks.withLock('key', () => new Promise(() => {})));
    await settle();
    expect(runtime.keepAliveTimers).toBe(1);
  });

  it('is a reentrant withLock, and one whose work throws', async () => {
    const { runtime, locks } = createFreeSetting();
    const inner = createDeferred();
    const done = watch(
      locks.withLock('key', () => locks.withLock('key', () => inner.promise, { reentrant: true }), { reentrant: true }),
    );
    await settle();
    expect(runtime.keepAliveTimers).toBe(1);
    inner.reject(new Error('failed'));
    await settle();
    expect([done.state, runtime.keepAliveTimers]).toEqual(['rejected', 0]);
  });

  it('is no lease of acquire, though it is renewed', async () => {
    const { runtime, take } = createFreeSetting();
    await take('key', { ttl: 1_000 });
    await runtime.advance(5_000);
    expect(runtime.keepAliveTimers).toBe(0);
  });

  it('is no withLock of a Locks that is closed, though its work goes on', async () => {
    const { runtime, locks } = createFreeSetting({ drain: 0 });
    watch(locks.withLock('key', () => new Promise(() => {})));
    await settle();
    await locks.close();
    expect([runtime.keepAliveTimers, runtime.pendingTimers]).toEqual([0, 0]);
  });

  it('is no withLock that was refused', async () => {
    const { runtime, locks } = createSetting({ answers: { tryAcquire: (call) => call.busy() } });
    const refused = watch(locks.withLock('key', () => 1, { wait: 0 }));
    await settle();
    expect(refused.error).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(runtime.keepAliveTimers).toBe(0);
  });
});
