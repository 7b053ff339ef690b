import { describe, expect, it } from 'vitest';
import { isLockError } from '../../../src/index.ts';
import type { Lease } from '../../../src/index.ts';
import { freeAtOnce, grantAtOnce, rejectAtOnce } from '../../support/scripted-provider.ts';
import { createSetting, watch } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;
const grace = 1_000;

describe('a release that is never answered', () => {
  it('lets its caller go with LOCK_UNAVAILABLE some time after the hold has expired, and not before', async () => {
    const { runtime, take } = createSetting();
    const lease = await take('key', { ttl });
    const releasing = watch(lease.release(), runtime);
    await runtime.advance(ttl * 0.98 + grace);
    expect(releasing.state).toBe('open');
    await runtime.advance(ttl * 0.02);
    expect(releasing.state).toBe('rejected');
    expect(isLockError(releasing.error, 'LOCK_UNAVAILABLE')).toBe(true);
    expect(await lease.release()).toBe(false);
  });

  it('is believed when its answer comes after the hold has expired, as behind a blocked event loop', async () => {
    const { runtime, provider, take } = createSetting();
    const lease = await take('key', { ttl });
    const releasing = watch(lease.release());
    await runtime.advance(ttl + grace / 2);
    provider.open('release').answer(false);
    await settle();
    expect(releasing.value).toBe(false);
  });

  it('lets the caller of withLock go with the result of its work', async () => {
    const { runtime, provider, locks } = createSetting();
    const call = watch(
      locks.withLock('key', () => 'result', { ttl }),
      runtime,
    );
    provider.open('tryAcquire').grant();
    await runtime.advance(ttl + grace);
    expect(call.value).toBe('result');
  });

  it('lets its caller go though its Locks was closed meanwhile', async () => {
    const { runtime, locks, take } = createSetting({ closeTimeout: 100 });
    const lease = await take('key', { ttl });
    const releasing = watch(lease.release());
    const closing = watch(locks.close(), runtime);
    await runtime.advance(100);
    expect(closing.state).toBe('fulfilled');
    expect(runtime.keepAliveTimers).toBe(0);
    await runtime.advance(ttl + grace);
    expect(releasing.state).toBe('rejected');
  });

  it.each(['a lease', 'a hold on a reentrant lease'])('can be called again after it rejected: %s', async (what) => {
    const { runtime, provider, locks, take } = createSetting({ ttl, answers: { tryAcquire: grantAtOnce } });
    provider.answers.release = rejectAtOnce;
    const use = async (lease: Lease): Promise<boolean> => {
      await expect(lease.release()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      provider.answers.release = freeAtOnce;
      return await lease.release();
    };
    const again = watch(what === 'a lease' ? use(await take('key')) : locks.withLock('key', use, { reentrant: true }));
    await runtime.advance(500);
    expect(again.value).toBe(true);
    await runtime.advance(2 * ttl);
    expect(provider.releases.length).toBeLessThanOrEqual(3);
  });

  it('is not looked for any more once it is answered', async () => {
    const { runtime, provider, locks, take } = createSetting();
    const lease = await take('key', { ttl });
    const releasing = watch(lease.release());
    provider.open('release').answer(true);
    await settle();
    expect(releasing.value).toBe(true);
    const closing = watch(locks.close(), runtime);
    await settle();
    expect(closing.state).toBe('fulfilled');
    await runtime.advance(ttl + grace);
    expect(releasing.state).toBe('fulfilled');
  });
});
