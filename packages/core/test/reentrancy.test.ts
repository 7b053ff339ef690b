import { describe, expect, it } from 'vitest';
import { createLocks } from '../src/index.ts';
import type { Lease } from '../src/index.ts';
import { createDeferred } from './support/deferred.ts';
import { createSetting, watch } from './support/setting.ts';
import { freeAtOnce, grantAtOnce, renewAtOnce } from './support/scripted-provider.ts';
import type { Setting } from './support/setting.ts';
import { settle } from './support/virtual-runtime.ts';

function createFree(): Setting {
  const setting = createSetting({ ttl: 1_000, reentrant: true });
  setting.provider.answers.tryAcquire = grantAtOnce;
  setting.provider.answers.renew = renewAtOnce;
  setting.provider.answers.release = freeAtOnce;
  return setting;
}

describe('a reentrant withLock inside another on the same key', () => {
  it('joins without a call to the provider, with the same owner and token', async () => {
    const { provider, locks } = createFree();
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

  it('gives its hold back without ending that of the outer one', async () => {
    const { provider, locks } = createFree();
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
    const { runtime, provider, locks } = createFree();
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
    const { provider, locks } = createFree();
    await locks.withLock('key', async (outer) => {
      const inner = await locks.acquire('key');
      await Promise.all([inner.release(), inner.release(), inner[Symbol.asyncDispose]()]);
      expect(outer.held).toBe(true);
      expect(provider.releases).toHaveLength(0);
    });
    expect(provider.releases).toHaveLength(1);
  });

  it('may run in parallel branches', async () => {
    const { provider, locks } = createFree();
    await locks.withLock('key', async (outer) => {
      const tokens = await Promise.all([1, 2, 3].map(() => locks.withLock('key', (inner) => inner.token)));
      expect(tokens).toEqual([outer.token, outer.token, outer.token]);
      expect(outer.held).toBe(true);
    });
    expect(provider.calls).toHaveLength(2);
  });

  it('goes through scopes of other keys in between', async () => {
    const { provider, locks } = createFree();
    await locks.withLock('a', async (outer) => {
      await locks.withLock('b', async () => {
        await locks.withLock('a', (inner) => expect(inner.token).toBe(outer.token));
      });
    });
    expect(provider.attempts.map((call) => call.claim.key)).toEqual(['a', 'b']);
  });

  it('from shared to exclusive is refused with LOCK_INVALID', async () => {
    const { provider, locks } = createFree();
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
    const { provider, locks } = createFree();
    await locks.withLock('key', async () => {
      await locks.withLock('key', (inner) => expect(inner.mode).toBe('exclusive'), { mode: 'shared' });
    });
    expect(provider.calls).toHaveLength(2);
  });

  it('rejects with LOCK_LOST when the outer lease is lost', async () => {
    const { runtime, provider, locks } = createFree();
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

  it('hears of a loss while it runs', async () => {
    const { runtime, locks } = createFree();
    const done = watch(
      locks.withLock('key', async () => {
        await locks.withLock('key', (inner) => {
          runtime.block(1_000);
          expect(inner.signal.aborted).toBe(true);
        });
      }),
    );
    await settle();
    expect(done.error).toMatchObject({ code: 'LOCK_LOST', cause: { code: 'LOCK_LOST' } });
  });

  it('rejects with the reason of a signal that is aborted already', async () => {
    const { locks } = createFree();
    const signal = AbortSignal.abort(new Error('shutting down'));
    await locks.withLock('key', async () => {
      await expect(locks.withLock('key', () => 1, { signal })).rejects.toBe(signal.reason);
    });
  });
});

describe('acquire and tryAcquire inside a scope', () => {
  it('join it, and their leases are holds of their own', async () => {
    const { provider, locks } = createFree();
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
    const { provider, locks } = createFree();
    await locks.acquire('key');
    await locks.acquire('key');
    expect(provider.attempts).toHaveLength(2);
  });
});

describe('a scope is not joined', () => {
  it('by a call that is not reentrant', async () => {
    const { provider, locks } = createFree();
    await locks.withLock('key', async () => {
      await locks.withLock('key', () => 1, { reentrant: false });
    });
    expect(provider.attempts).toHaveLength(2);
  });

  it('that a call opened which was not reentrant', async () => {
    const { provider, locks } = createFree();
    await locks.withLock(
      'key',
      async () => {
        await locks.withLock('key', () => 1);
      },
      { reentrant: false },
    );
    expect(provider.attempts).toHaveLength(2);
  });

  it('for another key', async () => {
    const { provider, locks } = createFree();
    await locks.withLock('key', () => locks.withLock('other', () => 1));
    expect(provider.attempts.map((call) => call.claim.key)).toEqual(['key', 'other']);
  });

  it('by another Locks over the same provider', async () => {
    const { runtime, provider, locks } = createFree();
    const other = createLocks(provider, { runtime, reentrant: true });
    await locks.withLock('key', () => other.withLock('key', () => 1));
    expect(provider.attempts).toHaveLength(2);
  });

  it('by a context outside it at the same time', async () => {
    const { provider, locks } = createFree();
    const gate = createDeferred();
    const inside = locks.withLock('key', () => gate.promise);
    await settle();
    await locks.withLock('key', () => 1);
    expect(provider.attempts).toHaveLength(2);
    gate.resolve();
    await inside;
  });

  it('by a context that outlived it: that acquires anew', async () => {
    const { provider, locks } = createFree();
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
    const { provider, locks } = createFree();
    await locks.withLock('key', async (lease) => {
      await lease.release();
      await locks.withLock('key', (later) => expect(later.token).not.toBe(lease.token));
    });
    expect(provider.attempts).toHaveLength(2);
  });
});
