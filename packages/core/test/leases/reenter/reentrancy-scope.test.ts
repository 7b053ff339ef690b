import { describe, expect, it } from 'vitest';
import { createLocks } from '../../../src/index.ts';
import { createDeferred } from '../../../src/time/deferred.ts';
import { createFreeSetting } from '../../support/setting.ts';
import type { Setting } from '../../support/setting.ts';

const options = { ttl: 1_000, reentrant: true };

describe('acquire and tryAcquire inside a scope', () => {
  it('join it, and their leases are holds of their own', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('key', async (outer) => {
      const acquired = await locks.acquire('key');
      const tried = await locks.tryAcquire('key');
      expect([acquired.token, tried?.token]).toEqual([outer.token, outer.token]);
      await outer.release();
      expect([outer.held, acquired.held, tried?.held]).toEqual([false, true, true]);
      expect(provider.releases).toHaveLength(0);
      await acquired.release();
      expect(await tried?.release()).toBe(true);
      expect(provider.releases).toHaveLength(1);
    });
    expect(provider.releases).toHaveLength(1);
  });

  it('do not open one', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.acquire('key');
    await locks.acquire('key');
    expect(provider.attempts).toHaveLength(2);
  });
});

describe('a scope is not joined', () => {
  it.each<[string, (setting: Setting) => Promise<unknown>]>([
    [
      'by a call that is not reentrant',
      ({ locks }) => locks.withLock('key', () => locks.withLock('key', () => 1, { reentrant: false })),
    ],
    [
      'that a call opened which was not reentrant',
      ({ locks }) => locks.withLock('key', () => locks.withLock('key', () => 1), { reentrant: false }),
    ],
    ['for another key', ({ locks }) => locks.withLock('key', () => locks.withLock('other', () => 1))],
    [
      'by another Locks over the same provider',
      ({ runtime, provider, locks }) => {
        const other = createLocks(provider, { runtime, reentrant: true });
        return locks.withLock('key', () => other.withLock('key', () => 1));
      },
    ],
  ])('%s', async (_, call) => {
    const setting = createFreeSetting(options);
    await call(setting);
    expect(setting.provider.attempts).toHaveLength(2);
  });

  it('by a context that outlived it: that acquires anew', async () => {
    const { provider, locks } = createFreeSetting(options);
    const gate = createDeferred();
    let outliving: Promise<bigint> | undefined;
    const first = await locks.withLock('key', (lease) => {
      outliving = gate.promise.then(() => locks.withLock('key', (later) => later.token));
      return lease.token;
    });
    gate.resolve();
    expect(await outliving).not.toBe(first);
    expect(provider.attempts).toHaveLength(2);
    expect(provider.releases).toHaveLength(2);
  });

  it('after its work has released it', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('key', async (lease) => {
      await lease.release();
      await locks.withLock('key', (later) => expect(later.token).not.toBe(lease.token));
    });
    expect(provider.attempts).toHaveLength(2);
  });
});
