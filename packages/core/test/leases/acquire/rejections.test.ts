import { describe, expect, it } from 'vitest';
import { LockError } from '../../../src/index.ts';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { freeAtOnce, freeNothing, grantAtOnce, pausesOf, rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('a rejected attempt', () => {
  it('is repeated with growing pauses', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0.999, answers: { tryAcquire: rejectAtOnce } });
    provider.answers.release = freeAtOnce;
    watch(locks.acquire('key', { ttl: 5_000 }));
    await runtime.advance(5_000);
    expect(pausesOf(provider.attempts).slice(0, 7)).toEqual([20, 40, 80, 160, 320, 500, 500]);
  });

  it('lets the pauses grow anew after a busy answer', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0.999 });
    provider.answers.tryAcquire = (call) => (provider.attempts.length === 5 ? call.busy() : call.reject());
    watch(locks.acquire('key', { ttl: 5_000 }));
    await runtime.advance(800);
    expect(pausesOf(provider.attempts).slice(0, 6)).toEqual([20, 40, 80, 160, 20, 40]);
  });

  it('ends an infinite wait with LOCK_UNAVAILABLE after a ttl of nothing else', async () => {
    const { runtime, provider, locks } = createSetting();
    const cause = new Error('connection lost');
    provider.answers.tryAcquire = (call) => call.reject(cause);
    provider.answers.release = freeAtOnce;
    const acquired = watch(locks.acquire('key', { ttl }), runtime);
    await runtime.advance(10_000);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause, key: 'key' });
    expect(acquired.took).toBe(ttl);
    expect(provider.releases).toHaveLength(1);
    await expectNothingLeft({ runtime, locks });
  });

  it('waits for a backend that says when it answers again, and no longer than a ttl after that', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    const start = runtime.time;
    const guardEnd = start + 12_000;
    provider.answers.tryAcquire = (call) =>
      call.reject(
        call.at < guardEnd
          ? new LockError('LOCK_UNAVAILABLE', 'restarted', { sent: false, retryAfter: guardEnd - call.at })
          : new Error('connection lost'),
      );
    provider.answers.release = freeAtOnce;
    const acquired = watch(locks.acquire('key', { ttl }), runtime);
    await runtime.advance(12_000);
    // Every 5 s, as it may be well earlier.
    expect(provider.attempts.map(({ at }) => at - start)).toEqual([0, 5_010, 10_020]);
    await runtime.advance(20_000);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { message: 'connection lost' } });
    expect((acquired.at ?? 0) - start).toBe(12_000 + ttl);
  });

  it('is granted at the end that the backend named, and not later', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0.999 });
    const start = runtime.time;
    provider.answers.tryAcquire = (call) =>
      call.at - start < 3_000
        ? call.reject(new LockError('LOCK_UNAVAILABLE', 'restarted', { retryAfter: start + 3_000 - call.at }))
        : call.grant();
    const acquired = watch(locks.acquire('key', { ttl, wait: 30_000 }), runtime);
    await runtime.advance(3_020);
    expect(acquired.value?.held).toBe(true);
    expect(provider.attempts).toHaveLength(2);
  });

  it('ends with the wait where that is over before the backend answers again', async () => {
    const { runtime, provider, locks } = createSetting();
    provider.answers.tryAcquire = (call) =>
      call.reject(new LockError('LOCK_UNAVAILABLE', 'restarted', { sent: false, retryAfter: 60_000 }));
    const acquired = watch(locks.acquire('key', { ttl, wait: 7_000 }), runtime);
    await runtime.advance(10_000);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', retryAfter: 60_000 });
    expect(acquired.took).toBe(7_000);
  });

  it('ends it also while the repeat is in flight and silent', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl }), runtime);
    provider.open('tryAcquire').reject();
    await runtime.advance(10_000);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(acquired.took).toBe(ttl);
    expect(provider.attempts).toHaveLength(2);
  });

  it('has what the provider knows as its cause, where the wait ends before an answer', async () => {
    const { runtime, provider, locks } = createSetting();
    const cause = new Error('connect ECONNREFUSED');
    Object.assign(provider, { outage: () => cause });
    const acquired = watch(locks.acquire('key', { ttl, wait: 300 }));
    await runtime.advance(300);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause, key: 'key' });
  });

  it('is forgotten at a busy answer: the ttl counts anew from the next rejection', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    const start = runtime.time;
    provider.answers.tryAcquire = (call) => (call.at - start === 900 ? call.busy(100) : call.reject());
    const acquired = watch(locks.acquire('key', { ttl }), runtime);
    // Rejections first; the busy answer comes through a wake at 900 ms.
    await runtime.advance(900);
    provider.attempts.at(-1)?.wake?.();
    await settle();
    expect(provider.attempts.at(-1)?.at).toBe(start + 900);
    await runtime.advance(1_099);
    expect(acquired.state).toBe('open');
    await runtime.advance(1);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect((acquired.at ?? 0) - start).toBe(900 + 100 + ttl);
  });

  it('counts also when the provider throws it synchronously', async () => {
    const { runtime, provider, locks } = createSetting();
    const thrown = new Error('not connected');
    provider.throws = thrown;
    await expect(locks.tryAcquire('key', { ttl })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: thrown });
    const acquired = watch(locks.acquire('key', { ttl }));
    await runtime.advance(100);
    provider.throws = undefined;
    provider.answers.tryAcquire = grantAtOnce;
    provider.answers.release = freeAtOnce;
    await runtime.advance(200);
    expect(acquired.state).toBe('fulfilled');
  });
});

describe('an answer that breaks the contract', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['nothing in it', {}],
    ['a word', 'granted'],
    ['granted as a word', { granted: 'yes' }],
    ['no token', { granted: true }],
    ['a token that is a number', { granted: true, token: 5 }],
    ['a lost that is no signal', { granted: true, token: 5n, lost: {} }],
    ['a validity that is not a number', { granted: true, token: 5n, validity: Number.NaN }],
    ['a validity in a string', { granted: true, token: 5n, validity: '1000' }],
    ['a validity that is over before it began', { granted: true, token: 5n, validity: -1 }],
    ['a moment that never comes', { granted: false, retryAfter: Infinity }],
  ])('counts as a rejection: %s', async (_, answer) => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const tried = watch(locks.tryAcquire('key', { ttl }));
    provider.open('tryAcquire').answer(answer);
    await settle();
    expect(tried.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { code: 'LOCK_UNAVAILABLE' } });
    expect(provider.releases).toHaveLength(1);
    const acquired = watch(locks.acquire('key', { ttl }));
    provider.open('tryAcquire').answer(answer);
    await runtime.advance(20);
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.state).toBe('fulfilled');
  });

  it('is not a busy answer that wants the next attempt at once', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl, wait: 10 }));
    provider.open('tryAcquire').busy(0);
    await runtime.advance(1);
    provider.open('tryAcquire').busy(0);
    provider.answers.tryAcquire = (call) => call.busy(0);
    provider.answers.release = freeAtOnce;
    await runtime.advance(10);
    expect(acquired.error).toMatchObject({ code: 'LOCK_TIMEOUT' });
  });

  it('may also come without a promise', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const tryAcquire = provider.tryAcquire.bind(provider);
    provider.tryAcquire = () => ({ granted: false }) as never;
    expect(await locks.tryAcquire('key', { ttl })).toBeNull();
    const acquired = watch(locks.acquire('key', { ttl, renew: false }));
    provider.tryAcquire = () => undefined as never;
    await runtime.advance(30);
    expect(acquired.state).toBe('open');
    provider.tryAcquire = tryAcquire;
    provider.answers.tryAcquire = grantAtOnce;
    await runtime.advance(200);
    expect(acquired.state).toBe('fulfilled');
    await expectNothingLeft({ runtime, locks });
  });
});

describe('an attempt that is refused for good', () => {
  it.each([
    ['LOCK_INVALID', 0],
    // The server may have refused it in the middle: one release each.
    ['LOCK_MISCONFIGURED', 2],
    ['LOCK_CLOSED', 0],
  ] as const)('ends the wait at once: %s', async (code, releases) => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    const refusal = new LockError(code, 'Not, and will not.');
    provider.answers.tryAcquire = (call) => call.reject(refusal);
    await expect(locks.acquire('key', { ttl })).rejects.toBe(refusal);
    await expect(locks.tryAcquire('key', { ttl })).rejects.toBe(refusal);
    await runtime.advance(5_000);
    expect(provider.attempts).toHaveLength(2);
    expect(provider.releases).toHaveLength(releases);
    await expectNothingLeft({ runtime, locks });
  });

  it.each(['busy', 'rejected'])('releases what an earlier attempt may have left: %s', async (earlier) => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const acquired = watch(locks.acquire('key', { ttl }));
    if (earlier === 'busy') provider.open('tryAcquire').busy(20);
    else provider.open('tryAcquire').reject();
    await runtime.advance(20);
    const refusal = new LockError('LOCK_INVALID', 'Other permits.');
    provider.open('tryAcquire').reject(refusal);
    await settle();
    expect(acquired.error).toBe(refusal);
    expect(provider.releases).toHaveLength(1);
  });

  it('that is still in flight at the end is not repeated as unknown', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    watch(locks.acquire('key', { ttl, wait: 100 }));
    await runtime.advance(100);
    provider.open('tryAcquire').reject(new LockError('LOCK_INVALID', 'Other permits.'));
    await runtime.advance(5_000);
    expect(provider.releases.length).toBeLessThanOrEqual(1);
  });
});
