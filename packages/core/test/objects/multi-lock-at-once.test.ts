import { describe, expect, it } from 'vitest';
import { LockError, subscribe } from '../../src/index.ts';
import type { MultiLease } from '../../src/index.ts';
import type { Call } from '../support/scripted-provider.ts';
import { createFreeSetting, expectNothingLeft, watch } from '../support/setting.ts';
import type { Setting, SettingOptions } from '../support/setting.ts';
import { settle } from '../support/virtual-runtime.ts';

const several = ['c', 'a', 'b'];

function keysOf(calls: readonly Call[]): string[] {
  return calls.map(({ claim }) => claim.key);
}

describe('locks.multiLock asks for all keys at once', () => {
  it('in one tick, without a position, and is one lease with the token of each', async () => {
    const setting = createFreeSetting();
    const { provider, runtime } = setting;
    provider.answers.tryAcquire = () => {};
    const taken = watch(setting.locks.multiLock(several).acquire());
    await settle();
    expect(keysOf(provider.attempts)).toEqual(['a', 'b', 'c']);
    expect(provider.attempts.map(({ wake }) => wake)).toEqual([undefined, undefined, undefined]);
    expect(new Set(provider.attempts.map(({ claim }) => claim.owner)).size).toBe(3);
    // The tokens are those of the keys, whichever is answered first.
    for (const call of provider.attempts.toReversed()) call.grant();
    await settle();
    const lease = taken.value as MultiLease;
    expect([...lease.tokens]).toEqual([
      ['a', 102n],
      ['b', 101n],
      ['c', 100n],
    ]);
    await runtime.advance(30_000);
    expect(lease.held).toBe(true);
    expect(new Set(keysOf(provider.renewals))).toEqual(new Set(['a', 'b', 'c']));
    expect(await lease.release()).toBe(true);
    expect(keysOf(provider.releases)).toEqual(['a', 'b', 'c']);
    await expectNothingLeft(setting);
  });

  it('and runs work that cannot wait for one of the keys', async () => {
    const { locks, provider } = createFreeSetting({ findDeadlocks: true });
    const multi = locks.multiLock(several);
    for (const key of several) {
      let taken = 0;
      provider.answers.tryAcquire = (call) => ((taken += 1) <= 3 ? call.grant() : call.busy(100));
      await expect(multi.withLock(() => locks.acquire(key))).rejects.toMatchObject({ code: 'LOCK_DEADLOCK', key });
    }
  });

  it('but not for the parts of a reentrant call, or beside a part that is no mutex', async () => {
    const { provider, locks } = createFreeSetting();
    const parts = [...several, locks.readWriteLock('d').read];
    const most: number[] = [];
    provider.answers.tryAcquire = (call) => {
      most.push(provider.attempts.filter(({ settled }) => !settled).length);
      queueMicrotask(() => call.grant());
    };
    await locks.multiLock(several).withLock({ reentrant: true }, () => {});
    await (await locks.multiLock(parts).acquire()).release();
    expect(Math.max(...most)).toBe(1);
  });

  it('and takes keys with lockDelay for longer than their leases are valid', async () => {
    const { provider, locks } = createFreeSetting();
    const lease = await locks.multiLock(several).acquire({ ttl: 1_000, lockDelay: 5_000 });
    expect(provider.calls.map(({ claim }) => claim.ttl)).toEqual([6_000, 6_000, 6_000]);
    expect(lease.remaining).toBeLessThanOrEqual(1_000);
  });
});

describe('locks.multiLock, where one key is not free', () => {
  it('gives the others back, and says so to a call that does not wait', async () => {
    const setting = createFreeSetting();
    const { provider, locks } = setting;
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.busy() : call.grant());
    expect(await locks.multiLock(several).tryAcquire()).toBeNull();
    expect(keysOf(provider.attempts)).toEqual(['a', 'b', 'c']);
    expect(keysOf(provider.releases)).toEqual(['a', 'c']);
    expect(await locks.multiLock(several).tryWithLock(() => 'ran')).toEqual({ held: false });
    await expect(locks.multiLock(several).acquire({ wait: 0 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      key: 'b',
      message: expect.stringContaining('was not free immediately') as string,
    });
    await expectNothingLeft(setting);
  });

  it('gives the others back before it takes one after another, with other claims and the rest of the wait', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = () => {};
    const start = runtime.time;
    const taken = watch(locks.multiLock(several).acquire({ wait: 300 }), runtime);
    await runtime.advance(200);
    const [a, b, c] = [...provider.attempts] as [Call, Call, Call];
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.busy(10_000) : call.grant());
    delete provider.answers.release;
    b.busy();
    c.grant();
    a.grant();
    await settle();
    // Its own claims would keep it waiting.
    expect(keysOf(provider.releases)).toEqual(['a', 'c']);
    expect(provider.attempts).toHaveLength(3);
    for (const release of provider.releases) release.answer(true);
    provider.answers.release = (call) => call.answer(true);
    await runtime.advance(1_000);
    expect(taken.error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'b' });
    expect(taken.at).toBeLessThanOrEqual(start + 320);
    const inOrder = provider.attempts.slice(3);
    expect(keysOf(inOrder)).toEqual(['a', 'b']);
    expect(inOrder[1]?.wake).toBeDefined();
    const owners = provider.attempts.map(({ claim }) => claim.owner);
    expect(new Set(owners).size).toBe(5);
  });

  it('tells diagnostics the end of each claim', async () => {
    const { provider, locks } = createFreeSetting();
    const told: string[] = [];
    const stops = (['locks:claim', 'locks:acquire', 'locks:giveup'] as const).map((name) =>
      subscribe(name, ({ owner, key }) => told.push(`${name.slice(6)} ${key} ${owner}`)),
    );
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.busy() : call.grant());
    await locks.multiLock(several).tryAcquire();
    for (const stop of stops) stop();
    const ends = provider.attempts.map(({ claim: { key, owner } }) => [
      `claim ${key} ${owner}`,
      `${key === 'b' ? 'giveup' : 'acquire'} ${key} ${owner}`,
    ]);
    expect(told.toSorted()).toEqual(ends.flat().toSorted());
  });
});

describe('locks.multiLock, when its caller stops waiting', () => {
  const ends: readonly [string, Partial<SettingOptions>, string, (setting: Setting, abort: () => void) => unknown][] = [
    ['the signal aborts', {}, 'the request was cancelled', (_setting, abort) => abort()],
    ['the wait is over', {}, 'LOCK_UNAVAILABLE', ({ runtime }) => runtime.advance(300)],
    ['the Locks is closed', { closeTimeout: 0 }, 'LOCK_CLOSED', ({ locks }) => void locks.close()],
  ];
  it.each(ends)('gives all back, if it has them later: %s', async (_name, options, reason, end) => {
    const setting = createFreeSetting(options);
    const { provider, locks, runtime } = setting;
    provider.answers.tryAcquire = () => {};
    const controller = new AbortController();
    const start = runtime.time;
    const taken = watch(locks.multiLock(several).acquire({ wait: 300, signal: controller.signal }), runtime);
    const left: unknown[] = [];
    const unsubscribe = subscribe('locks:giveup', ({ key, attempts }) => left.push([key, attempts]));
    await settle();
    await end(setting, () => controller.abort(new Error(reason)));
    await settle();
    const { code, message } = taken.error as LockError;
    expect(code ?? message).toBe(reason);
    expect(taken.at).toBeLessThanOrEqual(start + 300);
    expect(left).toEqual(['a', 'b', 'c'].map((key) => [key, 1]));
    unsubscribe();
    expect(provider.releases).toEqual([]);
    for (const call of provider.attempts) call.grant();
    await settle();
    expect(keysOf(provider.releases)).toEqual(['a', 'b', 'c']);
    expect(provider.attempts).toHaveLength(3);
  });

  it('sends nothing where the signal is aborted already', async () => {
    const { provider, locks } = createFreeSetting();
    const reason = new Error('cancelled before');
    await expect(locks.multiLock(several).acquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(provider.calls).toEqual([]);
  });
});

describe('locks.multiLock, when an answer is lost', () => {
  it('gives all back, and says that nothing is known', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.reject() : call.grant());
    const taken = watch(locks.multiLock(several).tryAcquire({ ttl: 1_000 }));
    await runtime.advance(500);
    expect(taken.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'b', cause: new Error('connection lost') });
    expect(keysOf(provider.releases).toSorted()).toEqual(['a', 'b', 'c']);
    expect(provider.attempts).toHaveLength(3);
  });

  it('says "not free" where another key certainly is not', async () => {
    const { provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.reject() : call.busy());
    expect(await locks.multiLock(several).tryAcquire()).toBeNull();
    expect(keysOf(provider.releases)).toEqual(['b']);
  });

  it('goes on one after another with other claims, if it may wait', async () => {
    const { provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => (provider.attempts.length <= 3 ? call.reject() : call.grant());
    const lease = await locks.multiLock(several).acquire();
    expect(lease.keys).toEqual(['a', 'b', 'c']);
    expect(keysOf(provider.releases)).toEqual(['a', 'b', 'c']);
    expect(keysOf(provider.attempts.slice(3))).toEqual(['a', 'b', 'c']);
  });

  it('gives nothing back that was never sent', async () => {
    const { provider, locks } = createFreeSetting();
    const error = new LockError('LOCK_UNAVAILABLE', 'no connection', { sent: false });
    provider.answers.tryAcquire = (call) => call.reject(error);
    await expect(locks.multiLock(several).tryAcquire()).rejects.toMatchObject({ cause: error });
    expect(provider.releases).toEqual([]);
  });

  it('rejects with what is refused for good, and gives the others back', async () => {
    const { provider, locks } = createFreeSetting();
    const error = new LockError('LOCK_MISCONFIGURED', 'the function is missing');
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.reject(error) : call.grant());
    await expect(locks.multiLock(several).acquire()).rejects.toBe(error);
    expect(keysOf(provider.attempts)).toEqual(['a', 'b', 'c']);
    expect(keysOf(provider.releases).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('gives back grants that come after their validity', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = () => {};
    const taken = watch(locks.multiLock(several).tryAcquire({ ttl: 1_000 }));
    await runtime.advance(1_100);
    for (const call of provider.attempts) call.grant();
    await settle();
    expect(taken.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(provider.releases).toHaveLength(3);
  });
});
