import { describe, expect, it } from 'vitest';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { busyAtOnce, freeAtOnce, freeNothing, pausesOf } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('the pause after a busy answer', () => {
  it.each([
    [0, 400],
    [0.5, 380],
    [0.999, 361],
  ])('is retryAfter, with jitter (%d) only earlier: %d of 400 ms', async (random, pause) => {
    const { runtime, provider, locks } = createSetting({ random });
    watch(locks.acquire('key', { ttl }));
    const { at } = provider.open('tryAcquire');
    provider.open('tryAcquire').busy(400);
    await runtime.advance(1_000);
    expect((provider.attempts[1]?.at ?? 0) - at).toBe(pause);
  });

  it('doubles from 20 to 500 ms where the provider names no moment, half of it jitter', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0.999 });
    provider.answers.tryAcquire = (call) => call.busy();
    watch(locks.acquire('key', { ttl }));
    await runtime.advance(5_000);
    expect(pausesOf(provider.attempts).slice(0, 7)).toEqual([20, 40, 80, 160, 320, 500, 500]);
  });

  it('is never above the ttl', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0.999 });
    provider.answers.tryAcquire = (call) => call.busy();
    watch(locks.acquire('key', { ttl: 100 }));
    await runtime.advance(1_000);
    expect(pausesOf(provider.attempts).slice(0, 5)).toEqual([20, 40, 80, 100, 100]);
  });

  it('counts from the answer, not from the send', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    watch(locks.acquire('key', { ttl }));
    await runtime.advance(300);
    provider.open('tryAcquire').busy(100);
    await runtime.advance(99);
    expect(provider.attempts).toHaveLength(1);
    await runtime.advance(1);
    expect(provider.attempts).toHaveLength(2);
  });

  it('keeps the process alive', async () => {
    const { provider, runtime, locks } = createSetting();
    watch(locks.acquire('key', { ttl }));
    provider.open('tryAcquire').busy(400);
    await settle();
    expect(runtime.keepAliveTimers).toBe(1);
  });

  it.each([Number.NaN, -1, Infinity])(
    'is as after a rejection when the provider names an impossible moment: %d',
    async (retryAfter) => {
      const { runtime, provider, locks } = createSetting({ random: 0 });
      const acquired = watch(locks.acquire('key', { ttl }));
      provider.open('tryAcquire').busy(retryAfter);
      await runtime.advance(9);
      expect(provider.attempts).toHaveLength(1);
      await runtime.advance(1);
      expect(provider.attempts).toHaveLength(2);
      provider.open('tryAcquire').grant();
      await settle();
      expect(acquired.state).toBe('fulfilled');
    },
  );
});

describe('a wait of 0', () => {
  it('is one attempt without the intention to wait: acquire rejects with LOCK_TIMEOUT', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: busyAtOnce } });
    await expect(locks.acquire('key', { ttl, wait: 0 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', key: 'key' });
    expect(provider.attempts).toHaveLength(1);
    expect(provider.attempts[0]?.wake).toBeUndefined();
    expect(provider.releases).toHaveLength(0);
    await expectNothingLeft({ runtime, locks });
  });
});

describe('a finite wait', () => {
  it('that is shorter than the way to the store is none of its own: the first attempt is answered', async () => {
    const { runtime, provider, locks } = createSetting();
    const granted = watch(locks.acquire('free', { wait: 20 }));
    const busy = watch(locks.tryAcquire('held', { wait: 20 }));
    const silent = watch(locks.acquire('silent', { wait: 20 }));
    await runtime.advance(60);
    const [first, second] = provider.attempts;
    first?.grant();
    second?.busy(5_000);
    await runtime.advance(1);
    expect([granted.state, busy.value, silent.state]).toEqual(['fulfilled', null, 'open']);
    expect(provider.attempts).toHaveLength(3);
    await runtime.advance(190);
    expect(silent.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    provider.answers.release = freeAtOnce;
  });

  it('rejects exactly at its deadline with LOCK_TIMEOUT when the last answer was busy', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: busyAtOnce, release: freeNothing } });
    const acquired = watch(locks.acquire('key', { ttl, wait: 250 }), runtime);
    await runtime.advance(1_000);
    expect(acquired.error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'key' });
    expect(acquired.took).toBe(250);
    expect(provider.releases).toHaveLength(1);
    await expectNothingLeft({ runtime, locks });
  });

  it('rejects at its deadline with LOCK_UNAVAILABLE when the provider never answered', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl, wait: 250 }), runtime);
    const tried = watch(locks.tryAcquire('other', { ttl, wait: 250 }), runtime);
    await runtime.advance(1_000);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'key' });
    expect(tried.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'other' });
    expect(acquired.took).toBe(250);
    expect(provider.attempts).toHaveLength(2);
    expect(runtime.keepAliveTimers).toBe(0);
  });

  it.each([
    ['has others as holders', () => 'api-1:22/x.0', 'LOCK_TIMEOUT'],
    ['has granted the key to the claim itself', (owner: string) => owner, 'LOCK_UNAVAILABLE'],
    ['has done so, as a composite tells it', (owner: string) => `${owner}~2`, 'LOCK_UNAVAILABLE'],
  ] as const)('whose attempt was not answered looks at the store, which %s', async (_what, holder, code) => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const acquired = watch(locks.acquire('key', { ttl, wait: 250 }), runtime);
    const tried = watch(locks.tryAcquire('other', { ttl, wait: 250 }), runtime);
    const [first, second] = provider.attempts;
    const owners = { key: first?.claim.owner ?? '', other: second?.claim.owner ?? '' };
    provider.inspecting = async (key) => {
      return { key, holders: [{ owner: holder(owners[key as 'key']), mode: 'exclusive' }], waiters: 1 };
    };
    await runtime.advance(250);
    expect(acquired.error).toMatchObject({ code, key: 'key' });
    if (code === 'LOCK_TIMEOUT') expect(tried).toMatchObject({ state: 'fulfilled', value: null });
    else expect(tried.error).toMatchObject({ code, key: 'other' });
    for (const attempt of provider.attempts) attempt.busy();
    await runtime.advance(1);
    expect(provider.releases).toHaveLength(2);
    await expectNothingLeft({ runtime, locks });
  });

  it('rejects with LOCK_TIMEOUT when the attempt in flight is silent but the last answer was busy', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl, wait: 250 }), runtime);
    provider.open('tryAcquire').busy(100);
    await runtime.advance(250);
    expect(provider.attempts).toHaveLength(2);
    expect(acquired.error).toMatchObject({ code: 'LOCK_TIMEOUT' });
  });

  it('rejects with LOCK_UNAVAILABLE and the cause when the last answer was a rejection', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl: 30_000, wait: 250 }), runtime);
    provider.open('tryAcquire').busy(100);
    await runtime.advance(100);
    const cause = new Error('connection lost');
    provider.answers.tryAcquire = (call) => call.reject(cause);
    provider.open('tryAcquire').reject(cause);
    await runtime.advance(150);
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause });
  });

  it('does not end before its deadline although the event loop was blocked, and takes a grant that is there', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl, wait: 250 }));
    runtime.block(249);
    await runtime.advance(0);
    expect(acquired.state).toBe('open');
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.state).toBe('fulfilled');
  });

  it('of more than 2^31 ms does not end at once', async () => {
    const { runtime, provider, locks } = createSetting();
    provider.answers.tryAcquire = (call) => call.busy(2 ** 33);
    const acquired = watch(locks.acquire('key', { ttl, wait: 2 ** 32 }), runtime);
    await runtime.advance(2_500);
    runtime.block(2 ** 32 - 3_000);
    await runtime.advance(499);
    expect(acquired.state).toBe('open');
    const start = provider.attempts[0]?.at ?? 0;
    await runtime.advance(1);
    expect(acquired.error).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect((acquired.at ?? 0) - start).toBe(2 ** 32);
  });
});
