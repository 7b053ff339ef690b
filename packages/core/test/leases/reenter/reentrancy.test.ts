import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/index.ts';
import { createDeferred } from '../../../src/time/deferred.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const options = { ttl: 1_000, reentrant: true };

describe('a reentrant withLock inside another on the same key', () => {
  it('joins without a call to the provider, with the same owner and token', async () => {
    const { provider, locks } = createFreeSetting(options);
    const result = await locks.withLock('key', async (outer) => {
      return await locks.withLock('key', async (inner) => {
        expect(provider.calls).toHaveLength(1);
        expect([inner.key, inner.owner, inner.token, inner.mode]).toEqual([
          outer.key,
          outer.owner,
          outer.token,
          outer.mode,
        ]);
        expect([inner.held, inner.remaining]).toEqual([true, outer.remaining]);
        return await locks.withLock('key', () => 'innermost');
      });
    });
    expect(result).toBe('innermost');
    expect(provider.calls.map((call) => call.kind)).toEqual(['tryAcquire', 'release']);
  });

  it('is given a lease like any other', async () => {
    const { runtime, provider, locks } = createFreeSetting(options);
    const seen: unknown[] = [];
    const done = watch(
      locks.withLock('key', async (hold) => {
        const { signal } = hold;
        seen.push(hold.owner === provider.attempts[0]?.claim.owner, hold.remaining, signal.aborted);
        runtime.block(100);
        await hold.renew();
        seen.push(provider.renewals.length, hold.remaining);
        runtime.block(1_000);
        seen.push(hold.remaining, hold.signal === signal, signal.aborted);
      }),
    );
    await settle();
    expect(seen).toEqual([true, 988, false, 1, 988, 0, true, true]);
    expect(done.error).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('gives its hold back without ending that of the outer one', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('key', async (outer) => {
      let hold: Lease | undefined;
      await locks.withLock('key', (inner) => void (hold = inner));
      expect([hold?.held, hold?.remaining]).toEqual([false, 0]);
      expect(outer.held).toBe(true);
      expect(provider.releases).toHaveLength(0);
      await expect(hold?.renew()).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    });
    expect(provider.releases).toHaveLength(1);
  });

  it('keeps the lock when it ends after the outer one, and releases it then', async () => {
    const { runtime, provider, locks } = createFreeSetting(options);
    const gate = createDeferred();
    let inner: Promise<string> | undefined;
    await locks.withLock('key', () => {
      inner = locks.withLock('key', async (lease) => {
        await gate.promise;
        return `held: ${lease.held}`;
      });
    });
    await runtime.advance(5_000);
    expect(provider.releases).toHaveLength(0);
    gate.resolve();
    expect(await inner).toBe('held: true');
    expect(provider.releases).toHaveLength(1);
  });

  it('counts a hold once, however often it is released', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('key', async (outer) => {
      const inner = await locks.acquire('key');
      await Promise.all([inner.release(), inner.release(), inner[Symbol.asyncDispose]()]);
      expect(outer.held).toBe(true);
      expect(provider.releases).toHaveLength(0);
    });
    expect(provider.releases).toHaveLength(1);
  });

  it('may run in parallel branches', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('key', async (outer) => {
      const tokens = await Promise.all([1, 2, 3].map(() => locks.withLock('key', (inner) => inner.token)));
      expect(tokens).toEqual([outer.token, outer.token, outer.token]);
      expect(outer.held).toBe(true);
    });
    expect(provider.calls).toHaveLength(2);
  });

  it('goes through scopes of other keys in between', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('a', async (outer) => {
      await locks.withLock('b', async () => {
        await locks.withLock('a', (inner) => expect(inner.token).toBe(outer.token));
      });
    });
    expect(provider.attempts.map((call) => call.claim.key)).toEqual(['a', 'b']);
  });

  it('from shared to exclusive is refused with LOCK_INVALID', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock(
      'key',
      async () => {
        await expect(locks.withLock('key', () => 1)).rejects.toMatchObject({
          code: 'LOCK_INVALID',
          key: 'key',
        });
        await expect(locks.acquire('key')).rejects.toMatchObject({ code: 'LOCK_INVALID' });
        await expect(locks.tryAcquire('key')).rejects.toMatchObject({ code: 'LOCK_INVALID' });
      },
      { mode: 'shared' },
    );
    expect(provider.calls).toHaveLength(2);
  });

  it('from exclusive to shared joins the exclusive lease', async () => {
    const { provider, locks } = createFreeSetting(options);
    await locks.withLock('key', async () => {
      await locks.withLock('key', (inner) => expect(inner.mode).toBe('exclusive'), { mode: 'shared' });
    });
    expect(provider.calls).toHaveLength(2);
  });

  it('rejects with LOCK_LOST when the outer lease is lost', async () => {
    const { runtime, provider, locks } = createFreeSetting(options);
    let ran = false;
    const outer = watch(
      locks.withLock('key', async () => {
        runtime.block(1_000);
        await expect(locks.withLock('key', () => (ran = true))).rejects.toMatchObject({ code: 'LOCK_LOST' });
      }),
    );
    await settle();
    expect(ran).toBe(false);
    expect(outer.error).toMatchObject({ code: 'LOCK_LOST' });
    expect(provider.attempts).toHaveLength(1);
  });

  it('says nothing of a loss after it has given its hold back itself', async () => {
    const { runtime, locks } = createFreeSetting(options);
    let inner: string | undefined;
    const outer = watch(
      locks.withLock('key', async () => {
        inner = await locks.withLock('key', async (hold) => {
          await hold.release();
          runtime.block(1_000);
          return 'done';
        });
      }),
    );
    await settle();
    expect(inner).toBe('done');
    expect(outer.error).toMatchObject({ code: 'LOCK_LOST', cause: { code: 'LOCK_LOST' } });
  });

  it('rejects with the reason of a signal that is aborted already', async () => {
    const { locks } = createFreeSetting(options);
    const signal = AbortSignal.abort(new Error('shutting down'));
    await locks.withLock('key', async () => {
      await expect(locks.withLock('key', () => 1, { signal })).rejects.toBe(signal.reason);
    });
  });
});
