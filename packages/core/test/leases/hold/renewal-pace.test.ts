import { describe, expect, it } from 'vitest';
import { createSetting } from '../../support/setting.ts';
import { freeAtOnce, pausesOf, rejectAtOnce, renewAtOnce } from '../../support/scripted-provider.ts';
import type { Call } from '../../support/scripted-provider.ts';

const shortestPause = (calls: readonly Call[]): number => Math.min(...pausesOf(calls));

const ttls = [50, 51, 64, 100, 127, 300, 1_000, 4_096, 30_000, 60_000, 300_000, 3_600_000, 86_400_000];

describe.each(ttls)('with a ttl of %d ms', (ttl) => {
  it.each([0, 0.5, 0.999])('rejected renewals make no storm (jitter %d)', async (random) => {
    const { runtime, provider, take } = createSetting({ random, answers: { renew: rejectAtOnce } });
    provider.answers.release = freeAtOnce;
    const lease = await take('key', { ttl });
    await runtime.advance(Math.min(ttl, 600_000));
    const failing = Math.min(ttl, 600_000);
    expect(provider.renewals.length).toBeLessThanOrEqual(16 + failing / 4_000);
    if (ttl <= 600_000) {
      expect(provider.renewals.length).toBeGreaterThanOrEqual(3);
      expect(lease.held).toBe(false);
    }
    expect(shortestPause(provider.renewals)).toBeGreaterThanOrEqual(Math.min(4, ttl / 50));
  });

  it('a healthy lease is renewed three to four times per ttl', async () => {
    const { runtime, provider, take } = createSetting({ answers: { renew: renewAtOnce } });
    const lease = await take('key', { ttl });
    // A lease looks at the clock every second: ten days of that would take a while.
    const rounds = ttl < 1_000_000 ? 10 : 1;
    await runtime.advance(rounds * ttl);
    expect(lease.held).toBe(true);
    expect(provider.renewals.length).toBeGreaterThanOrEqual(3 * rounds - 1);
    expect(provider.renewals.length).toBeLessThanOrEqual(3.6 * rounds + 0.4);
  });

  it('a validity much shorter than the ttl is renewed three to four times per validity', async () => {
    const { runtime, provider, locks } = createSetting();
    const validity = Math.max(40, ttl / 60);
    provider.answers.tryAcquire = (call) => call.grant({ validity });
    provider.answers.renew = (call) => call.answer({ validity });
    const lease = await locks.acquire('key', { ttl });
    await runtime.advance(10 * validity);
    expect(lease.held).toBe(true);
    expect(provider.renewals.length).toBeGreaterThanOrEqual(28);
    expect(provider.renewals.length).toBeLessThanOrEqual(45);
  });
});

describe('a session with a validity of its own', () => {
  it('does not make core renew without a pause when the ttl is long', async () => {
    const { runtime, provider, locks } = createSetting();
    provider.answers.tryAcquire = (call) => call.grant({ validity: 10_000 });
    provider.answers.renew = (call) => call.answer({ validity: 10_000 });
    const lease = await locks.acquire('key', { ttl: 86_400_000 });
    await runtime.advance(60_000);
    expect(lease.held).toBe(true);
    expect(provider.renewals.length).toBeLessThanOrEqual(24);
    expect(shortestPause(provider.renewals)).toBeGreaterThanOrEqual(2_000);
  });
});
