import { describe, expect, it } from 'vitest';
import { freeAtOnce } from '../../support/scripted-provider.ts';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;
/** The certain part of a ttl of 1 000 ms: less 1 % and 2 ms. */
const certain = 988;

describe('the validity of a grant', () => {
  it('is the ttl less 1 % and 2 ms when the answer comes at once', async () => {
    const { take } = createSetting();
    const lease = await take('key', { ttl });
    expect(lease.remaining).toBe(certain);
    expect(lease.held).toBe(true);
  });

  it('counts from the send of the attempt that won, not from the call', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0 });
    const acquired = watch(locks.acquire('key', { ttl }));
    provider.open('tryAcquire').busy(400);
    await runtime.advance(400);
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.value?.remaining).toBe(certain);
  });

  it('is what the provider reports, if it does, less the same margin', async () => {
    const { provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl }));
    provider.open('tryAcquire').grant({ validity: 500 });
    await settle();
    expect(acquired.value?.remaining).toBe(500 - 5 - 2);
  });

  it('goes down with the clock and stops at 0', async () => {
    const { runtime, take } = createSetting();
    const lease = await take('key', { ttl, renew: false });
    runtime.block(certain - 1);
    expect(lease.remaining).toBe(1);
    expect(lease.held).toBe(true);
    runtime.block(1);
    expect(lease.remaining).toBe(0);
    expect(lease.held).toBe(false);
    runtime.block(5_000);
    expect(lease.remaining).toBe(0);
  });
});

describe('a grant with less than half of its ttl left', () => {
  it.each([
    ['is not renewed', { renew: false }],
    ['rests', { atLeast: ttl }],
    ['rests after an unclean end', { lockDelay: ttl }],
  ])('is asked for again by a lease that %s', async (_title, options) => {
    const { provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl, ...options }));
    const first = provider.open('tryAcquire');
    first.grant({ validity: 400 });
    await settle();
    expect(acquired.value).toBeUndefined();
    const second = provider.open('tryAcquire');
    expect(second.claim.owner).toBe(first.claim.owner);
    second.grant();
    await settle();
    expect(acquired.value?.remaining).toBe(certain);
  });

  it('is asked for again once, and given up with what it holds', async () => {
    const { provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl, renew: false }));
    provider.open('tryAcquire').grant({ validity: 400 });
    await settle();
    provider.open('tryAcquire').grant({ validity: 400 });
    await settle();
    expect(acquired.value?.remaining).toBe(400 - 4 - 2);
  });
});

describe('a grant that arrives after its validity', () => {
  it('is handed back, and the key is tried again with another owner', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl }));
    const late = provider.open('tryAcquire');
    runtime.block(500);
    late.grant({ validity: 500 });
    await settle();
    expect(acquired.state).toBe('open');
    expect(provider.releases.map((call) => call.claim.owner)).toEqual([late.claim.owner]);
    await runtime.advance(20);
    expect(provider.attempts).toHaveLength(2);
    expect(provider.open('tryAcquire').claim.owner).not.toBe(late.claim.owner);
    provider.open('release').answer(true);
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.state).toBe('fulfilled');
    expect(provider.releases).toHaveLength(1);
  });

  it('leaves nothing more to release when the wait ends before the next attempt', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const controller = new AbortController();
    watch(locks.acquire('key', { ttl, signal: controller.signal }));
    provider.open('tryAcquire').reject();
    await runtime.advance(20);
    runtime.block(certain);
    provider.open('tryAcquire').grant();
    await settle();
    controller.abort();
    await runtime.advance(5_000);
    expect(provider.attempts).toHaveLength(2);
    expect(provider.releases).toHaveLength(1);
    await expectNothingLeft({ runtime, locks });
  });

  it('is still a grant 1 ms earlier', async () => {
    const { runtime, provider, locks } = createSetting();
    const acquired = watch(locks.acquire('key', { ttl }));
    runtime.block(certain - 1);
    provider.open('tryAcquire').grant();
    await settle();
    expect(acquired.value?.remaining).toBe(1);
  });

  it('is released once when that answers false: a certain grant that is gone has expired', async () => {
    const { runtime, provider, locks } = createSetting();
    watch(locks.tryAcquire('key', { ttl }));
    runtime.block(certain);
    provider.open('tryAcquire').grant();
    await settle();
    provider.open('release').answer(false);
    await runtime.advance(5_000);
    expect(provider.releases).toHaveLength(1);
  });

  it('is noticed as late when the machine slept while the attempt was in flight', async () => {
    const { runtime, provider, locks } = createSetting();
    const tried = watch(locks.tryAcquire('key', { ttl: 10_000 }));
    runtime.suspend(60_000);
    provider.open('tryAcquire').grant();
    await settle();
    expect(tried.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(provider.releases).toHaveLength(1);
  });
});
