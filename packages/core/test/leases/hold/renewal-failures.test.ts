import { describe, expect, it } from 'vitest';
import { LockError } from '../../../src/index.ts';
import { answerWell, createSetting, watch } from '../../support/setting.ts';
import { freeAtOnce, rejectAtOnce, renewAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;
const certain = 988;

describe('a rejected renewal', () => {
  it('loses the lease exactly at its deadline when all are rejected', async () => {
    const { runtime, provider, take } = createSetting({ answers: { renew: rejectAtOnce, release: freeAtOnce } });
    const lease = await take('key', { ttl });
    let lostAt = 0;
    const start = runtime.time;
    lease.signal.addEventListener('abort', () => (lostAt = runtime.time - start));
    await runtime.advance(5 * ttl);
    expect(lostAt).toBe(certain);
    expect(provider.renewals.every((call) => call.at < start + certain)).toBe(true);
    expect(provider.releases).toHaveLength(1);
  });

  it('starts its pauses anew after a success', async () => {
    const { runtime, provider, take } = createSetting({ random: 0.999, answers: { renew: rejectAtOnce } });
    const lease = await take('key', { ttl });
    await runtime.advance(600);
    const [first = 0, second = 0] = provider.renewals.map((call) => call.at);
    provider.answers.renew = renewAtOnce;
    await lease.renew();
    provider.answers.renew = rejectAtOnce;
    const before = provider.renewals.length;
    await runtime.advance(600);
    const later = provider.renewals.slice(before).map((call) => call.at);
    expect(before).toBeGreaterThan(3);
    expect(later.length).toBeGreaterThan(1);
    expect((later[1] ?? 0) - (later[0] ?? 0)).toBeLessThanOrEqual(second - first + 16);
  });

  it('counts also when the provider throws it synchronously', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    provider.throws = new Error('not connected');
    const renewed = watch(lease.renew());
    await settle();
    expect(renewed.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: provider.throws });
    expect(lease.held).toBe(true);
    provider.throws = undefined;
    answerWell(provider);
    await runtime.advance(100);
    expect(lease.remaining).toBeGreaterThan(900);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a validity that is no number', { validity: Number.NaN }],
  ])('is also an answer that breaks the contract: %s', async (_, answer) => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const renewed = watch(lease.renew());
    provider.open('renew').answer(answer);
    await settle();
    expect(renewed.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(lease.remaining).toBe(certain);
    answerWell(provider);
    await runtime.advance(200);
    expect(lease.remaining).toBeGreaterThan(certain - 200);
  });
});

describe('a renewal that is rejected for good', () => {
  const closed = new LockError('LOCK_CLOSED', 'The provider is closed.');

  it('is not tried again; the lease is lost at its deadline', async () => {
    const { runtime, provider, take } = createSetting();
    provider.answers.renew = (call) => call.reject(closed);
    provider.answers.release = freeAtOnce;
    const lease = await take('key', { ttl });
    const { signal } = lease;
    await runtime.advance(certain - 1);
    expect(provider.renewals).toHaveLength(1);
    expect(lease.held).toBe(true);
    expect(signal.aborted).toBe(false);
    await runtime.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it('rejects renew() as it is', async () => {
    const { provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const renewed = watch(lease.renew());
    provider.open('renew').reject(closed);
    await settle();
    expect(renewed.error).toBe(closed);
  });
});

describe('a renewal that answers false', () => {
  it('loses the lease at once', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const { signal } = lease;
    await runtime.advance(330);
    provider.open('renew').answer(false);
    await settle();
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'key' });
    expect(lease.held).toBe(false);
    expect(lease.remaining).toBe(0);
    expect(provider.releases).toHaveLength(1);
    provider.open('release').answer(false);
    await runtime.advance(5 * ttl);
    expect(provider.renewals).toHaveLength(1);
    expect(provider.releases).toHaveLength(1);
  });
});

describe('a renewal that is never answered', () => {
  it.each(['automatic', 'manual'])('does not keep the lease, which is lost at its deadline: %s', async (kind) => {
    const { runtime, provider, take } = createSetting({ answers: { release: freeAtOnce } });
    const lease = await take('key', { ttl });
    const { signal } = lease;
    const renewed = watch(kind === 'manual' ? lease.renew() : new Promise(() => {}));
    await runtime.advance(certain - 1);
    expect(provider.renewals).toHaveLength(1);
    expect(signal.aborted).toBe(false);
    await runtime.advance(1);
    expect(signal.aborted).toBe(true);
    expect(provider.releases).toHaveLength(1);
    expect(renewed.state).toBe('open');
  });
});
