import { describe, expect, it } from 'vitest';
import { createSetting, well } from '../../support/setting.ts';

describe('maxHold', () => {
  it.each([
    [1_000, 2_500],
    [1_000, 300],
    [30_000, 60_000],
    [3_600_000, 60_000],
  ])('ends a lease with a ttl of %d ms after %d ms, however often it is renewed', async (ttl, maxHold) => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    const lease = await take('key', { ttl, maxHold });
    const start = runtime.time;
    let lostAt = 0;
    lease.signal.addEventListener('abort', () => (lostAt = runtime.time - start));
    await runtime.advance(maxHold - 1);
    expect(lease.held).toBe(true);
    await runtime.advance(maxHold);
    expect(lostAt).toBe(Math.min(maxHold, lostAt));
    expect(lostAt).toBe(maxHold);
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', message: expect.stringContaining('maxHold') });
    expect(provider.releases).toHaveLength(1);
  });

  it.each([
    [1_000, 2_500],
    [30_000, 60_000],
    [3_600_000, 60_000],
  ])('sends no renewals that it makes pointless (ttl %d, maxHold %d)', async (ttl, maxHold) => {
    const { runtime, provider, take } = createSetting({ answers: { ...well } });
    await take('key', { ttl, maxHold });
    await runtime.advance(2 * maxHold);
    expect(provider.renewals.length).toBeLessThanOrEqual((maxHold / ttl) * 4);
  });

  it('is not moved by a manual renewal', async () => {
    const { runtime, take } = createSetting({ answers: { ...well } });
    const lease = await take('key', { ttl: 1_000, maxHold: 1_500 });
    await runtime.advance(1_400);
    await lease.renew();
    expect(lease.remaining).toBe(100);
  });

  it('counts from the grant, not from the call: waiting takes nothing away', async () => {
    const { runtime, provider, locks } = createSetting({ random: 0, answers: { ...well } });
    const acquiring = locks.acquire('key', { ttl: 1_000, maxHold: 500 });
    provider.open('tryAcquire').busy(5_000);
    await runtime.advance(5_000);
    provider.open('tryAcquire').grant();
    const lease = await acquiring;
    expect(lease.remaining).toBe(500);
  });

  it('names the missing renewal, not maxHold, when that was the reason', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl: 1_000, maxHold: 5_000 });
    await runtime.advance(1_000);
    expect(provider.renewals).toHaveLength(1);
    expect(String(lease.signal.reason)).toContain('not renewed');
  });
});
