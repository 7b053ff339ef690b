import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createSetting, expectNothingLeft, watch } from '../../support/setting.ts';
import { busyAtOnce, freeAtOnce, freeNothing, renewAtOnce } from '../../support/scripted-provider.ts';
import type { Call } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('an AbortSignal', () => {
  it.each<[string, unknown]>([
    ['an error', new Error('shutting down')],
    ['a string', 'no longer needed'],
    ['null', null],
  ])('rejects the call with exactly its reason: %s', async (_, reason) => {
    const { provider, locks } = createSetting();
    const controller = new AbortController();
    const acquired = watch(locks.acquire('key', { ttl, signal: controller.signal }));
    provider.open('tryAcquire').busy(10_000);
    await settle();
    controller.abort(reason);
    await settle();
    expect(acquired.state).toBe('rejected');
    expect(acquired.error).toBe(reason);
  });

  it('that is aborted already sends nothing', async () => {
    const { runtime, provider, locks } = createSetting();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(locks.acquire('key', { ttl, signal })).rejects.toBe(signal.reason);
    await expect(locks.tryAcquire('key', { ttl, signal })).rejects.toBe(signal.reason);
    await expect(locks.withLock('key', () => 1, { ttl, signal })).rejects.toBe(signal.reason);
    expect(provider.calls).toHaveLength(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await expectNothingLeft({ runtime, locks });
  });

  it('during a pause ends the wait at once and releases the position in the queue', async () => {
    const setting = createSetting({ answers: { release: freeNothing } });
    const { provider, locks } = setting;
    const controller = new AbortController();
    const acquired = watch(locks.acquire('key', { ttl, signal: controller.signal }));
    const { claim } = provider.open('tryAcquire');
    provider.open('tryAcquire').busy(10_000);
    await settle();
    controller.abort();
    await settle();
    expect(acquired.error).toBe(controller.signal.reason);
    expect(provider.releases.map((call) => call.claim)).toEqual([claim]);
    await setting.runtime.advance(5_000);
    expect(provider.releases).toHaveLength(1);
    expect(provider.attempts).toHaveLength(1);
    await expectNothingLeft(setting);
  });

  it.each<[string, (call: Call) => void]>([
    ['granted', (call) => call.grant()],
    ['rejected', (call) => call.reject()],
  ])(
    'during an attempt rejects at once, but releases only after that was %s, and tries no more',
    async (_, settled) => {
      const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
      const controller = new AbortController();
      const acquired = watch(locks.acquire('key', { ttl, signal: controller.signal }));
      controller.abort();
      await runtime.advance(3_000);
      expect(acquired.error).toBe(controller.signal.reason);
      expect(provider.releases).toHaveLength(0);
      settled(provider.open('tryAcquire'));
      await runtime.advance(5_000);
      expect([provider.attempts.length, provider.releases.length]).toEqual([1, 1]);
      expect(provider.releases[0]?.claim).toBe(provider.attempts[0]?.claim);
      await expectNothingLeft({ runtime, locks });
    },
  );

  it('after the grant does nothing: it covers the waiting only', async () => {
    const { runtime, provider, take } = createSetting({ answers: { renew: renewAtOnce } });
    const controller = new AbortController();
    const lease = await take('key', { ttl, signal: controller.signal });
    controller.abort();
    await runtime.advance(5_000);
    expect(lease.held).toBe(true);
    expect(lease.signal.aborted).toBe(false);
    expect(provider.releases).toHaveLength(0);
  });

  it('is listened to once however many wait on it, and ends them all', async () => {
    const { runtime, provider, locks } = createSetting({ answers: { tryAcquire: busyAtOnce, release: freeAtOnce } });
    const controller = new AbortController();
    const { signal } = controller;
    const waits = Array.from({ length: 100 }, (_, index) => watch(locks.acquire(`key ${index}`, { ttl, signal })));
    await settle();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    await settle();
    expect(waits.every((wait) => wait.error === signal.reason)).toBe(true);
    expect(provider.releases).toHaveLength(100);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await expectNothingLeft({ runtime, locks });
  });

  it.each(['granted', 'timed out', 'refused', 'closed'])('has no listener left when the call is %s', async (end) => {
    const { runtime, provider, locks } = createSetting({ answers: { release: freeAtOnce } });
    const { signal } = new AbortController();
    const acquired = watch(locks.acquire('key', { ttl, wait: 100, signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    if (end === 'granted') provider.open('tryAcquire').grant();
    if (end === 'refused') provider.open('tryAcquire').reject(Object.assign(new Error('no'), { code: 'LOCK_INVALID' }));
    if (end === 'timed out') provider.open('tryAcquire').busy(1_000);
    if (end === 'closed') watch(locks.close());
    await runtime.advance(100);
    expect(acquired.state).toBe(end === 'granted' ? 'fulfilled' : 'rejected');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
