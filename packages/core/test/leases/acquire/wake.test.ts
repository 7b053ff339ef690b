import { describe, expect, it } from 'vitest';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { freeAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('a wake', () => {
  it('in flight counts once: the next busy answer is waited out', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    watch(locks.acquire('key', { ttl }));
    provider.open('tryAcquire').wake?.();
    provider.open('tryAcquire').busy(10_000);
    await settle();
    provider.open('tryAcquire').busy(10_000);
    await runtime.advance(9_999);
    expect(provider.attempts).toHaveLength(2);
    await runtime.advance(1);
    expect(provider.attempts).toHaveLength(3);
  });

  it('that comes through an earlier callback of the claim counts too', async () => {
    const { runtime, provider, locks } = createSetting();
    watch(locks.acquire('key', { ttl }));
    const first = provider.open('tryAcquire');
    first.busy(100);
    await runtime.advance(100);
    provider.open('tryAcquire').busy(10_000);
    await settle();
    first.wake?.();
    await settle();
    expect(provider.attempts).toHaveLength(3);
  });

  it('many at once make one attempt', async () => {
    const { provider, locks } = createSetting();
    watch(locks.acquire('key', { ttl }));
    const first = provider.open('tryAcquire');
    first.busy(10_000);
    await settle();
    for (let index = 0; index < 10; index += 1) first.wake?.();
    await settle();
    expect(provider.attempts).toHaveLength(2);
  });

  it('during the call itself does no harm', async () => {
    const { provider, locks } = createSetting();
    let calls = 0;
    provider.answers.tryAcquire = (call) => {
      calls += 1;
      if (calls > 2) return call.grant();
      call.wake?.();
      call.busy(10_000);
    };
    expect(await locks.acquire('key', { ttl })).toMatchObject({ held: true });
    expect(provider.attempts).toHaveLength(3);
  });

  it('after a rejection makes core try again before its pause is over', async () => {
    const { provider, locks } = createSetting();
    watch(locks.acquire('key', { ttl }));
    const first = provider.open('tryAcquire');
    first.reject();
    await settle();
    first.wake?.();
    await settle();
    expect(provider.attempts).toHaveLength(2);
  });

  it('leaves no timer of the pause it ended', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    watch(locks.acquire('key', { ttl, renew: false }));
    const first = provider.open('tryAcquire');
    first.busy(500);
    await settle();
    first.wake?.();
    provider.open('tryAcquire').grant();
    await runtime.advance(600);
    expect(provider.attempts).toHaveLength(2);
    await expectNothingLeft({ runtime, locks });
  });

  it.each(['granted', 'aborted', 'over'])('is ignored after the claim is %s', async (end) => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const controller = new AbortController();
    const acquired = watch(locks.acquire('key', { ttl, wait: 300, signal: controller.signal, renew: false }));
    const first = provider.open('tryAcquire');
    first.busy(100);
    await runtime.advance(100);
    if (end === 'granted') provider.open('tryAcquire').grant();
    else provider.open('tryAcquire').busy(10_000);
    if (end === 'aborted') controller.abort();
    await runtime.advance(200);
    expect(acquired.state).toBe(end === 'granted' ? 'fulfilled' : 'rejected');
    const before = provider.calls.length;
    for (const call of provider.attempts) call.wake?.();
    await settle();
    expect(provider.calls).toHaveLength(before);
    await expectNothingLeft({ runtime, locks });
  });
});
