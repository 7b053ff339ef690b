import { describe, expect, it } from 'vitest';
import { createSetting, watch } from '../../support/setting.ts';
import { freeAtOnce, freeNothing } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('an attempt', () => {
  it('has a claim with nothing in it that was not asked for', async () => {
    const { provider, locks } = createSetting();
    watch(locks.tryAcquire('key', { ttl }));
    watch(locks.tryAcquire('key', { ttl, mode: 'shared', permits: 3 }));
    const [one, other] = provider.attempts.map((call) => call.claim);
    expect(one).toStrictEqual({ key: 'key', owner: one?.owner, ttl, mode: 'exclusive' });
    expect(other).toStrictEqual({ key: 'key', owner: other?.owner, ttl, mode: 'shared', permits: 3 });
  });

  it('that is rejected when a ttl of rejections is over ends the call at once', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const acquired = watch(locks.acquire('key', { ttl }));
    provider.open('tryAcquire').reject();
    await runtime.advance(20);
    runtime.block(ttl - 20);
    provider.open('tryAcquire').reject();
    await settle();
    expect(acquired.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it('after a grant that came too late has a certain beginning', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeNothing } });
    const controller = new AbortController();
    watch(locks.acquire('key', { ttl, signal: controller.signal }));
    runtime.block(ttl);
    provider.open('tryAcquire').grant();
    await runtime.advance(20);
    const { owner } = provider.attempts[1]?.claim ?? {};
    expect(owner).not.toBe(provider.attempts[0]?.claim.owner);
    provider.open('tryAcquire').busy(10_000);
    await settle();
    controller.abort();
    await runtime.advance(5_000);
    expect(provider.releases.filter((call) => call.claim.owner === owner)).toHaveLength(1);
  });
});
