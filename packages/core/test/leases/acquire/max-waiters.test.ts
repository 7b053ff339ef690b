import { describe, expect, it } from 'vitest';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import type { Setting } from '../../support/setting.ts';
import { busyAtOnce, freeAtOnce, grantAtOnce, rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

/** Ends every wait that is open, in one of the ways in which waits end. */
const ends: Record<string, (setting: Setting, controller: AbortController) => Promise<void>> = {
  async granted({ runtime, provider }) {
    provider.answers.tryAcquire = grantAtOnce;
    for (const call of provider.attempts) call.wake?.();
    await runtime.advance(0);
  },
  async aborted({ runtime }, controller) {
    controller.abort();
    await runtime.advance(0);
  },
  async 'timed out'({ runtime }) {
    await runtime.advance(500);
  },
  async unavailable({ runtime, provider }) {
    provider.answers.tryAcquire = rejectAtOnce;
    for (const call of provider.attempts) call.wake?.();
    await runtime.advance(500);
  },
  async refused({ runtime, provider }) {
    provider.answers.tryAcquire = (call) => call.reject(Object.assign(new Error('no'), { code: 'LOCK_INVALID' }));
    for (const call of provider.attempts) call.wake?.();
    await runtime.advance(0);
  },
};

describe('maxWaiters', () => {
  it('rejects one more with LOCK_OVERLOADED, which names the limit', async () => {
    const setting = createSetting({ maxWaiters: 2, answers: { tryAcquire: busyAtOnce, release: freeAtOnce } });
    const { provider, locks, runtime } = setting;
    const waits = ['a', 'b', 'c'].map((key) => watch(locks.acquire(key, { ttl })));
    await settle();
    expect(waits.map((wait) => wait.state)).toEqual(['open', 'open', 'rejected']);
    expect(waits[2]?.error).toMatchObject({ code: 'LOCK_OVERLOADED', key: 'c' });
    expect(String(waits[2]?.error)).toContain('2');
    expect(provider.releases.map((call) => call.claim.key)).toEqual(['c']);
    await locks.close();
    expect(runtime.pendingTimers).toBe(0);
  });

  it('makes one more attempt without a position in the queue, which may be granted', async () => {
    const { provider, locks } = createSetting({ maxWaiters: 1, answers: { tryAcquire: busyAtOnce } });
    watch(locks.acquire('a', { ttl }));
    await settle();
    const refused = watch(locks.acquire('b', { ttl }));
    await settle();
    expect(refused.error).toMatchObject({ code: 'LOCK_OVERLOADED' });
    expect(provider.attempts.at(-1)?.wake).toBeUndefined();
    expect(provider.releases).toHaveLength(0);
    provider.answers.tryAcquire = grantAtOnce;
    expect(await locks.acquire('free', { ttl })).toMatchObject({ held: true });
  });

  it('lets those who wait already keep their place when it is reached', async () => {
    const { provider, locks } = createSetting({ maxWaiters: 1 });
    const acquired = watch(locks.acquire('a', { ttl }));
    const first = provider.open('tryAcquire');
    first.busy(10_000);
    await settle();
    first.wake?.();
    expect(provider.open('tryAcquire').wake).toBeTypeOf('function');
    provider.open('tryAcquire').busy(10_000);
    await settle();
    expect(acquired.state).toBe('open');
  });

  it('does not count single attempts', async () => {
    const { locks } = createSetting({ maxWaiters: 1, answers: { tryAcquire: busyAtOnce } });
    watch(locks.acquire('a', { ttl }));
    await settle();
    expect(await locks.tryAcquire('b', { ttl })).toBeNull();
  });

  it.each(Object.keys(ends))('counts right after waits that were %s: fill, drain, fill again', async (end) => {
    const setting = createSetting({ maxWaiters: 5, answers: { release: freeAtOnce } });
    const { provider, locks } = setting;
    for (let round = 0; round < 4; round += 1) {
      provider.answers.tryAcquire = busyAtOnce;
      const controller = new AbortController();
      const options = { ttl: 400, wait: 450, signal: controller.signal, renew: false };
      const waits = Array.from({ length: 5 }, (_, index) => watch(locks.acquire(`key ${index}`, options)));
      await settle();
      expect(waits.filter((wait) => wait.state === 'open')).toHaveLength(5);
      const tooMany = watch(locks.acquire('one more', options));
      await settle();
      expect(tooMany.error).toMatchObject({ code: 'LOCK_OVERLOADED' });
      await ends[end]?.(setting, controller);
      expect(waits.filter((wait) => wait.state === 'open')).toHaveLength(0);
      provider.calls.length = 0;
    }
    await expectNothingLeft(setting);
  });
});
