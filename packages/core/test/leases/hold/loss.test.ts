import { describe, expect, it } from 'vitest';
import { createSetting, watch, well } from '../../support/setting.ts';
import { freeAtOnce, freeNothing, rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;
const certain = 988;

describe('a lease that is not renewed', () => {
  it('is lost exactly at the end of its validity, before the server frees the key', async () => {
    const { runtime, take } = createSetting({ answers: { release: freeAtOnce } });
    const lease = await take('key', { ttl, renew: false });
    const sentAt = runtime.time;
    let lostAt = Infinity;
    lease.signal.addEventListener('abort', () => (lostAt = runtime.time - sentAt));
    await runtime.advance(certain - 1);
    expect(lease.signal.aborted).toBe(false);
    await runtime.advance(5_000);
    expect(lostAt).toBe(certain);
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'key' });
  });

  it('counts that ttl from the send of its last renewal', async () => {
    const { runtime, provider, take } = createSetting({ answers: { release: rejectAtOnce } });
    const lease = await take('key', { ttl });
    await runtime.advance(340);
    provider.open('renew').answer({});
    await runtime.advance(10_000);
    expect(lease.held).toBe(false);
    expect(provider.renewals).toHaveLength(2);
    expect(provider.releases.at(-1)?.at).toBeGreaterThanOrEqual((provider.renewals[1]?.at ?? 0) + ttl);
  });

  it('is released once when that says that nothing was held', async () => {
    const { runtime, provider, take } = createSetting({ answers: { release: freeNothing } });
    await take('key', { ttl, renew: false });
    await runtime.advance(10_000);
    expect(provider.releases).toHaveLength(1);
  });

  it('answers release with false, without another call', async () => {
    const { runtime, provider, take } = createSetting({ answers: { release: freeAtOnce } });
    const lease = await take('key', { ttl, renew: false });
    await runtime.advance(certain);
    expect(await lease.release()).toBe(false);
    expect(await lease.release()).toBe(false);
    expect(provider.releases).toHaveLength(1);
  });
});

describe('a lapsed lease', () => {
  it('is lost also when the renewal in flight is rejected after its end', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const { signal } = lease;
    await runtime.advance(400);
    const renewal = provider.open('renew');
    runtime.block(ttl);
    renewal.reject();
    await settle();
    expect(signal.aborted).toBe(true);
    await runtime.advance(5_000);
    expect(provider.renewals).toHaveLength(1);
    expect(provider.releases).toHaveLength(1);
  });
});

describe('after the event loop was blocked for longer than the validity', () => {
  it('a manual renewal is refused without being sent', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    runtime.block(certain);
    const { signal } = lease;
    const renewed = watch(lease.renew());
    await settle();
    expect(renewed.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(provider.renewals).toHaveLength(0);
    expect(signal.reason).toBe(renewed.error);
  });

  it('release answers false and releases behind', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const { signal } = lease;
    runtime.block(certain);
    expect(await lease.release()).toBe(false);
    expect(provider.releases).toHaveLength(1);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('a lease blocked for less is renewed at once', async () => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    const lease = await take('key', { ttl });
    runtime.block(certain - 1);
    await runtime.advance(0);
    expect(provider.renewals).toHaveLength(1);
    expect(lease.remaining).toBe(certain);
  });
});
