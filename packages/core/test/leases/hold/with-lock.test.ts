import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/index.ts';
import { createDeferred } from '../../support/deferred.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import { rejectAtOnce } from '../../support/scripted-provider.ts';
import { settle } from '../../support/virtual-runtime.ts';

const ttl = 1_000;

/** Work that ends when the test says so. */
function makeWork() {
  const { promise, resolve, reject } = createDeferred<string>();
  return { work: () => promise, resolve, reject };
}

describe('withLock', () => {
  it('resolves to what work resolves to, and releases after it', async () => {
    const { provider, locks } = createFreeSetting();
    const result = await locks.withLock('key', async (lease) => {
      expect(lease.held).toBe(true);
      expect(provider.releases).toHaveLength(0);
      return `${lease.key} ${lease.token}`;
    });
    expect(result).toBe('key 100');
    expect(provider.releases).toHaveLength(1);
  });

  it.each<[string, () => Promise<never>]>([
    [
      'rejects',
      async () => {
        throw new Error('work failed');
      },
    ],
    [
      'throws',
      () => {
        throw new Error('work failed');
      },
    ],
  ])('hands the error of work on when it %s, and releases', async (_, work) => {
    const { provider, locks } = createFreeSetting();
    await expect(locks.withLock('key', work)).rejects.toThrow('work failed');
    expect(provider.releases).toHaveLength(1);
  });

  it('renews while work lasts', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    const { work, resolve } = makeWork();
    const done = watch(locks.withLock('key', work, { ttl }));
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
  it('rejects with LOCK_LOST that carries the result', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    const { work, resolve } = makeWork();
    const done = watch(locks.withLock('key', work, { ttl, renew: false }));
    await runtime.advance(ttl);
    expect(done.state).toBe('open');
    resolve('written');
    await settle();
    expect(done.error).toMatchObject({ code: 'LOCK_LOST', key: 'key', result: 'written' });
    expect(done.error).toMatchObject({ cause: { code: 'LOCK_LOST' } });
    expect(provider.releases).toHaveLength(1);
  });

  it('rejects with LOCK_LOST with the error of work as its cause', async () => {
    const { runtime, locks } = createFreeSetting();
    const { work, reject } = makeWork();
    const done = watch(locks.withLock('key', work, { ttl, renew: false }));
    await runtime.advance(ttl);
    const error = new Error('work failed');
    reject(error);
    await settle();
    expect(done.error).toMatchObject({ code: 'LOCK_LOST', cause: error });
    expect(done.error).not.toHaveProperty('result');
  });

  it("hands the signal's own reason on untouched when work threw it", async () => {
    const { runtime, locks } = createFreeSetting();
    let lease: Lease | undefined;
    const done = watch(
      locks.withLock(
        'key',
        async (granted) => {
          lease = granted;
          await new Promise((resolve) => granted.signal.addEventListener('abort', resolve));
          granted.signal.throwIfAborted();
        },
        { ttl, renew: false },
      ),
    );
    await runtime.advance(ttl);
    expect(lease?.signal.aborted).toBe(true);
    expect(done.error).toBe(lease?.signal.reason);
  });

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
