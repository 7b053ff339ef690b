import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/time/deferred.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import { rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

describe('withLock', () => {
  it('renews while work lasts', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    const { promise, resolve } = createDeferred<string>();
    const done = watch(locks.withLock('key', () => promise, { ttl }));
    await runtime.advance(10_000);
    expect(provider.renewals.length).toBeGreaterThan(20);
    resolve('done');
    await settle();
    expect(done.value).toBe('done');
  });

  it('does not reject when the release fails', async () => {
    const { locks } = createFreeSetting({ answers: { release: rejectAtOnce } });
    expect(await locks.withLock('key', () => 'done', { ttl })).toBe('done');
    await expect(
      locks.withLock(
        'other',
        () => {
          throw new Error('work failed');
        },
        { ttl },
      ),
    ).rejects.toThrow('work failed');
  });

  it('is content when work released the lease itself', async () => {
    const { provider, locks } = createFreeSetting();
    const result = await locks.withLock('key', async (lease) => await lease.release());
    expect(result).toBe(true);
    expect(provider.releases).toHaveLength(1);
  });
});

describe('withLock when the lease is lost before work ends', () => {
  it('says nothing of a loss after work has released the lease itself', async () => {
    const { runtime, locks } = createFreeSetting();
    const { promise, resolve } = createDeferred<string>();
    const done = watch(
      locks.withLock(
        'key',
        async (lease) => {
          await lease.release();
          return await promise;
        },
        { ttl },
      ),
    );
    await runtime.advance(5 * ttl);
    resolve('done');
    await settle();
    expect(done.value).toBe('done');
  });
});

describe('await using', () => {
  it('releases at the end of the block', async () => {
    const { provider, locks } = createFreeSetting();
    {
      await using lease = await locks.acquire('key');
      expect(lease.held).toBe(true);
    }
    expect(provider.releases).toHaveLength(1);
  });

  it('does not hide the error of the block behind a failed release', async () => {
    const { locks } = createFreeSetting({ answers: { release: rejectAtOnce } });
    const block = async () => {
      await using _lease = await locks.acquire('key');
      throw new Error('block failed');
    };
    await expect(block()).rejects.toThrow('block failed');
  });

  it('closes a Locks at the end of its block', async () => {
    const { locks } = createFreeSetting();
    {
      await using _open = locks;
    }
    await expect(locks.acquire('key')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  });
});
