import { describe, expect, it } from 'vitest';
import { createSetting, watch, well } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;
const certain = 988;

describe('renewal', () => {
  it('is sent at a third of the validity, at most 1/32 of the ttl earlier', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const sentAt = runtime.time;
    await runtime.advance(certain / 3 + 1);
    const sent = (provider.renewals[0]?.at ?? 0) - sentAt;
    expect(sent).toBeLessThanOrEqual(certain / 3 + 1);
    expect(sent).toBeGreaterThanOrEqual(certain / 3 - ttl / 32);
    expect(provider.renewals[0]?.claim).toMatchObject({ key: 'key', owner: lease.owner, ttl });
  });

  it('takes over the validity that the provider reports', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    await runtime.advance(330);
    const { at } = provider.open('renew');
    provider.open('renew').answer({ validity: 500 });
    await settle();
    expect(lease.remaining).toBe(493 - (runtime.time - at));
    await runtime.advance(493);
    expect(provider.renewals).toHaveLength(2);
  });

  it('goes out together for leases that are due at about the same time', async () => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    for (let index = 0; index < 16; index += 1) {
      await take(`key ${index}`, { ttl: 30_000 });
      runtime.block(10);
    }
    await runtime.advance(10_000);
    const moments = new Set(provider.renewals.map((call) => call.at));
    expect(provider.renewals).toHaveLength(16);
    expect(moments.size).toBeLessThanOrEqual(2);
    expect(runtime.pendingTimers).toBe(1);
  });

  it('never overlaps another renewal of the same lease', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const first = watch(lease.renew());
    const second = watch(lease.renew());
    await runtime.advance(900);
    expect(provider.renewals).toHaveLength(1);
    provider.open('renew').answer({});
    await settle();
    expect([first.state, second.state]).toEqual(['fulfilled', 'fulfilled']);
  });
});

describe('renew()', () => {
  it('restarts the ttl now', async () => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    const lease = await take('key', { ttl, renew: false });
    await runtime.advance(900);
    await lease.renew();
    expect(lease.remaining).toBe(certain);
    await runtime.advance(certain - 1);
    expect(lease.held).toBe(true);
    await runtime.advance(1);
    expect(lease.held).toBe(false);
    expect(provider.renewals).toHaveLength(1);
  });

  it('moves the next automatic renewal', async () => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    const lease = await take('key', { ttl });
    await runtime.advance(300);
    await lease.renew();
    await runtime.advance(300);
    expect(provider.renewals).toHaveLength(1);
    await runtime.advance(30);
    expect(provider.renewals).toHaveLength(2);
  });

  it('rejects with LOCK_LOST when the validity that it brings is over already', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const renewed = watch(lease.renew());
    runtime.block(100);
    provider.open('renew').answer({ validity: 100 });
    await settle();
    expect(lease.held).toBe(false);
    expect(renewed.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(provider.renewals).toHaveLength(1);
  });
});

describe('a release while a renewal is in flight', () => {
  it.each<[string, unknown]>([
    ['success', {}],
    ['false', false],
    ['a rejection', undefined],
  ])('makes core ignore what the renewal says after it: %s', async (_, answer) => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const { signal } = lease;
    const renewed = watch(lease.renew());
    const renewal = provider.open('renew');
    watch(lease.release());
    provider.open('release').answer(true);
    if (answer === undefined) renewal.reject();
    else renewal.answer(answer);
    await settle();
    expect(renewed.error).toMatchObject({ code: 'LOCK_INVALID' });
    expect(signal.aborted).toBe(false);
    expect(lease.held).toBe(false);
    await runtime.advance(10 * ttl);
    expect(provider.renewals).toHaveLength(1);
    expect(provider.releases).toHaveLength(1);
    expect(runtime.pendingTimers).toBe(0);
  });
});
