import { describe, expect, it } from 'vitest';
import { LockError } from '../../../src/index.ts';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { freeAtOnce, freeNothing, rejectAtOnce } from '../../support/scripted-provider.ts';
import type { Call } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('what is left of an unknown attempt', () => {
  it('is released again and again while that answers false, until the last send plus the ttl', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce, release: freeNothing } });
    watch(locks.tryAcquire('key', { ttl }));
    const sentAt = runtime.time;
    await runtime.advance(10_000);
    const times = provider.releases.map((call) => call.at - sentAt);
    expect(times[0]).toBe(0);
    expect(times.length).toBeGreaterThanOrEqual(4);
    expect(times.length).toBeLessThanOrEqual(8);
    expect(times.at(-1)).toBeGreaterThanOrEqual(ttl);
    expect(times.filter((time) => time >= ttl)).toHaveLength(1);
    expect(new Set(provider.calls.map((call) => call.claim.owner)).size).toBe(1);
    await expectNothingLeft({ runtime, locks });
  });

  it.each<[string, (call: Call) => void, number, readonly number[]]>([
    ['slows down to once a second without answers', rejectAtOnce, 0, [25, 50, 100, 200, 400, 500, 500]],
    ['slows down to once a second without answers', rejectAtOnce, 0.999_999, [50, 100, 200, 400, 800, 1_000, 1_000]],
    ['halves while that frees nothing', freeNothing, 0, [25, 50, 100, 200, 400, 800, 1_600, 3_200, 3_625]],
    ['halves while that frees nothing', freeNothing, 0.999_999, [50, 100, 200, 400, 800, 1_600, 3_200]],
  ])('is released at a pace that %s: jitter %d', async (_how, release, random, pauses) => {
    const { runtime, provider, locks } = createSetting({ random, answers: { tryAcquire: rejectAtOnce } });
    provider.answers.release = release;
    await locks.tryAcquire('key', { ttl: 10_000 }).catch(() => {});
    await runtime.advance(20_000);
    const times = provider.releases.map((call) => call.at);
    const between = times.slice(1).map((at, index) => Math.ceil(at - (times[index] ?? 0)));
    for (const [index, pause] of pauses.entries())
      expect(Math.abs((between[index] ?? 0) - pause)).toBeLessThanOrEqual(1);
  });

  it('does not hold up a close when the store has long said that there is nothing', async () => {
    const setting = createSetting({ ttl: 86_400_000, answers: { tryAcquire: rejectAtOnce, release: freeNothing } });
    const { runtime, provider, locks } = setting;
    watch(locks.tryAcquire('key'));
    await runtime.advance(8_000);
    const closing = watch(locks.close());
    await settle();
    expect(closing.state).toBe('fulfilled');
    expect(provider.releases.at(-1)?.at).toBe(runtime.time);
    await expectNothingLeft(setting);
  });

  it('is looked for by a close until it is too late for the attempt to arrive, and no longer', async () => {
    const { runtime, provider, locks } = createSetting({ ttl: 86_400_000, closeTimeout: 60_000 });
    provider.answers.tryAcquire = rejectAtOnce;
    provider.answers.release = freeNothing;
    watch(locks.tryAcquire('key'));
    await runtime.advance(1_000);
    const closing = watch(locks.close());
    await runtime.advance(3_900);
    expect(closing.state).toBe('open');
    await runtime.advance(200);
    expect(closing.state).toBe('fulfilled');
  });

  it('is certainly gone at the very moment at which the last send plus the ttl is over', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce } });
    watch(locks.tryAcquire('key', { ttl }));
    await settle();
    runtime.block(ttl);
    provider.open('release').answer(false);
    await runtime.advance(5_000);
    expect(provider.releases).toHaveLength(1);
  });

  it('is not released again once that freed something', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce } });
    provider.answers.release = (call) => call.answer(provider.releases.length === 3);
    watch(locks.tryAcquire('key', { ttl }));
    await runtime.advance(10_000);
    expect(provider.releases).toHaveLength(3);
  });

  it('counts the ttl from the last of several sends', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: rejectAtOnce, release: freeNothing } });
    watch(locks.acquire('key', { ttl, wait: 900 }));
    await runtime.advance(10_000);
    const lastSend = provider.attempts.at(-1)?.at ?? 0;
    expect(lastSend).toBeGreaterThan((provider.attempts[0]?.at ?? 0) + 300);
    expect(provider.releases.at(-1)?.at).toBeGreaterThanOrEqual(lastSend + ttl);
  });

  it('is uncertain although later attempts were busy: an earlier one may have had an effect', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    const controller = new AbortController();
    watch(locks.acquire('key', { ttl, signal: controller.signal }));
    provider.open('tryAcquire').reject();
    await runtime.advance(20);
    provider.open('tryAcquire').busy(10_000);
    await settle();
    controller.abort();
    await runtime.advance(500);
    expect(provider.releases.length).toBeGreaterThan(1);
  });

  it('is uncertain when the attempt in flight at the end is rejected after it', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    watch(locks.acquire('key', { ttl, wait: 100 }));
    await runtime.advance(100);
    provider.open('tryAcquire').reject();
    await runtime.advance(5_000);
    expect(provider.releases.length).toBeGreaterThan(1);
  });

  it('is released until that is answered if it may have a position in the queue, which outlives the ttl', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: rejectAtOnce } });
    watch(locks.acquire('key', { ttl, wait: 2 * ttl }));
    provider.open('tryAcquire').busy(10 * ttl);
    await runtime.advance(20 * ttl);
    const sent = provider.releases.length;
    expect(sent).toBeGreaterThan(10);
    provider.answers.release = freeNothing;
    await runtime.advance(2 * ttl);
    expect(provider.releases).toHaveLength(sent + 1);
    await expectNothingLeft({ runtime, locks });
  });

  it('is released for a minute at most where it may have a position in the queue, so that an outage does not pile it up', async () => {
    const setting = createSetting({ answers: { tryAcquire: rejectAtOnce, release: rejectAtOnce } });
    const { runtime, provider, locks } = setting;
    watch(locks.acquire('key', { ttl, wait: 500 }));
    await runtime.advance(200_000);
    const after = (provider.releases.at(-1)?.at ?? 0) - (provider.attempts.at(-1)?.at ?? 0);
    expect(after).toBeGreaterThanOrEqual(60_000);
    expect(after).toBeLessThan(62_000);
    await expectNothingLeft(setting);
  });

  it('is released where sessions decide until there is a conclusive answer, beyond the ttl too', async () => {
    const { runtime, provider, locks } = createSetting({ traits: { expiry: 'session' } });
    provider.answers.tryAcquire = rejectAtOnce;
    provider.answers.release = rejectAtOnce;
    watch(locks.tryAcquire('key', { ttl }));
    await runtime.advance(5 * ttl);
    const before = provider.releases.length;
    expect(provider.releases.at(-1)?.at).toBeGreaterThan((provider.attempts[0]?.at ?? 0) + 3 * ttl);
    provider.answers.release = freeNothing;
    await runtime.advance(10 * ttl);
    expect(provider.releases).toHaveLength(before + 1);
  });
});

describe('what is left of certain answers', () => {
  it('is released once, whatever that answers', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    watch(locks.acquire('key', { ttl, wait: 100 }));
    provider.open('tryAcquire').busy(10_000);
    await runtime.advance(10_000);
    expect(provider.releases).toHaveLength(1);
  });

  it.each([undefined, null, 0, 'true'])('counts an answer that is no boolean as unknown: %s', async (answer) => {
    const { runtime, provider, locks } = createSetting();
    provider.answers.release = (call) => call.answer(provider.releases.length < 3 ? answer : true);
    watch(locks.acquire('key', { ttl, wait: 100 }));
    provider.open('tryAcquire').busy(10_000);
    await runtime.advance(10_000);
    expect(provider.releases).toHaveLength(3);
  });

  it('counts a release that is thrown synchronously as unknown', async () => {
    const { runtime, provider, locks } = createSetting();
    watch(locks.acquire('key', { ttl, wait: 100 }));
    provider.open('tryAcquire').busy(10_000);
    await settle();
    provider.throws = new Error('not connected');
    await runtime.advance(300);
    expect(provider.releases.length).toBeGreaterThan(1);
    provider.throws = undefined;
    provider.answers.release = freeAtOnce;
    await runtime.advance(5_000);
    expect(provider.open.bind(provider, 'release')).toThrow(/answered already/);
  });
});

describe('the repetition of a release in the background', () => {
  it('does not keep the process alive', async () => {
    const { runtime, take } = createSetting({ answers: { release: rejectAtOnce } });
    const lease = await take('key', { ttl });
    await lease[Symbol.asyncDispose]();
    await runtime.advance(10);
    expect([runtime.pendingTimers > 0, runtime.keepAliveTimers]).toEqual([true, 0]);
  });
});

describe('a release by the holder', () => {
  it('answers what the provider answers, always the same', async () => {
    const { provider, take } = createSetting();
    provider.answers.release = (call) => call.answer(call.claim.key === 'held');
    const held = await take('held', { ttl });
    const gone = await take('gone', { ttl });
    expect([await held.release(), await held.release()]).toEqual([true, true]);
    expect([await gone.release(), await gone.release()]).toEqual([false, false]);
    expect(provider.releases).toHaveLength(2);
  });

  it('that is refused for good rejects as it is and is not repeated', async () => {
    const { runtime, provider, take } = createSetting();
    const refused = new LockError('LOCK_CLOSED', 'The provider is closed.');
    provider.answers.release = (call) => call.reject(refused);
    const lease = await take('key', { ttl });
    await expect(lease.release()).rejects.toBe(refused);
    await runtime.advance(10_000);
    expect(provider.releases).toHaveLength(1);
  });
});
