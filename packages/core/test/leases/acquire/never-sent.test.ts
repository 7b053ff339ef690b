import { describe, expect, it } from 'vitest';
import { LockError } from '../../../src/index.ts';
import { freeAtOnce, freeNothing, rejectAtOnce } from '../../support/scripted-provider.ts';
import type { Call } from '../../support/scripted-provider.ts';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

const neverSent = (call: Call): void =>
  call.reject(new LockError('LOCK_UNAVAILABLE', 'The client has no connection.', { sent: false }));

describe('an attempt that was certainly never sent', () => {
  it.each([0, 300])('leaves nothing to release, with a wait of %d ms', async (wait) => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: neverSent } });
    const attempt = watch(locks.acquire('key', { ttl, wait }));
    await runtime.advance(wait);
    expect(attempt.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { sent: false } });
    await expectNothingLeft({ runtime, locks });
    await runtime.advance(10 * ttl);
    expect(provider.releases).toHaveLength(0);
  });

  it('leaves nothing to release when it was in flight at the end of the wait', async () => {
    const { runtime, provider, locks } = createSetting();
    watch(locks.acquire('key', { ttl, wait: 300 }));
    await runtime.advance(300);
    neverSent(provider.open('tryAcquire'));
    await settle();
    await expectNothingLeft({ runtime, locks });
    expect(provider.releases).toHaveLength(0);
  });

  it('adds no time to the repetitions that an earlier attempt needs', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    watch(locks.acquire('key', { ttl, wait: 900 }));
    const sentAt = runtime.time;
    provider.open('tryAcquire').reject();
    provider.answers.tryAcquire = neverSent;
    await runtime.advance(10 * ttl);
    const last = provider.releases.at(-1)?.at ?? 0;
    expect(provider.releases.length).toBeGreaterThan(0);
    expect(last - sentAt).toBeGreaterThanOrEqual(ttl);
    expect(last - sentAt).toBeLessThan(1.7 * ttl);
  });

  it('does not make an earlier position in the queue forgotten', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    watch(locks.acquire('key', { ttl, wait: 900 }));
    provider.open('tryAcquire').busy(50);
    await settle();
    provider.answers.tryAcquire = neverSent;
    await runtime.advance(1_000);
    expect(provider.releases).toHaveLength(1);
  });
});

describe('claims that are given up in an outage', () => {
  it('are released once, then by few calls a second, and all of them soon after it', async () => {
    const setting = createSetting({ answers: { tryAcquire: rejectAtOnce, release: rejectAtOnce } });
    const { runtime, provider, locks } = setting;
    for (let index = 0; index < 500; index += 1) watch(locks.tryAcquire(`key ${index}`, { ttl: 60_000 }));
    const second = async (): Promise<number> => {
      const before = provider.releases.length;
      await runtime.advance(1_000);
      return provider.releases.length - before;
    };
    expect(await second()).toBeLessThanOrEqual(650);
    for (let index = 0; index < 10; index += 1) expect(await second()).toBeLessThanOrEqual(200);
    provider.answers.release = freeAtOnce;
    await runtime.advance(30_000);
    const freed = new Set(provider.releases.map((call) => call.claim.key));
    expect(freed.size).toBe(500);
    await expectNothingLeft(setting);
  });

  it('are released at once, though others have got no answer', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce } });
    for (let index = 0; index < 100; index += 1) watch(locks.tryAcquire(`key ${index}`, { ttl }));
    await settle();
    expect(provider.releases).toHaveLength(100);
    await runtime.advance(5_000);
    expect(provider.releases).toHaveLength(100);
    for (const call of provider.releases) call.answer(true);
  });

  it('are all released once when close has waited long enough', async () => {
    const { runtime, provider, locks } = createSetting({ closeTimeout: 500, answers: { tryAcquire: rejectAtOnce } });
    for (let index = 0; index < 100; index += 1) watch(locks.tryAcquire(`key ${index}`, { ttl: 60_000 }));
    await settle();
    const closing = watch(locks.close(), runtime);
    await runtime.advance(500);
    expect(closing.state).toBe('fulfilled');
    expect(new Set(provider.releases.map((call) => call.claim.key)).size).toBe(100);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('are repeated some 130 times a second while it is unknown whether anything is left', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce, release: freeNothing } });
    for (let index = 0; index < 500; index += 1) watch(locks.tryAcquire(`key ${index}`, { ttl: 120_000 }));
    await runtime.advance(30_000);
    const before = provider.releases.length;
    await runtime.advance(60_000);
    expect((provider.releases.length - before) / 60).toBeLessThan(200);
  });

  it('do not pile up in a long one: each is tried, and none is kept beyond its time', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce } });
    provider.answers.release = rejectAtOnce;
    for (let tick = 0; tick < 300; tick += 1) {
      for (let index = 0; index < 10; index += 1) watch(locks.tryAcquire(`key ${tick} ${index}`, { ttl }));
      await runtime.advance(100);
    }
    await runtime.advance(60_000);
    const tried = new Set(provider.releases.map((call) => call.claim.key));
    expect(tried.size).toBe(3_000);
    const before = provider.releases.length;
    await runtime.advance(60_000);
    expect(provider.releases.length).toBe(before);
  });
});
