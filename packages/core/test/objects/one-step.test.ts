import { describe, expect, it } from 'vitest';
import { LockError, createMemoryProvider, subscribe } from '../../src/index.ts';
import { namespaced } from '../../../composites/src/index.ts';
import type { Claim, LockProvider, MultiLease } from '../../src/index.ts';
import { grantAtOnce } from '../support/scripted-provider.ts';
import type { CallKind } from '../support/scripted-provider.ts';
import { createFreeSetting, expectNothingLeft, watch } from '../support/setting.ts';
import type { Setting, SettingOptions } from '../support/setting.ts';
import { settle } from '../support/virtual-runtime.ts';

/** A provider that takes several keys in one step. They are free unless the test says otherwise. */
function createJointSetting(options: SettingOptions = {}): Setting {
  const setting = createFreeSetting(options);
  setting.provider.takeSeveral();
  setting.provider.answers.tryAcquireAll = grantAtOnce;
  return setting;
}

/** The keys of the calls of one kind, in their order. */
function keysOf({ provider }: Setting, kind: CallKind): string[] {
  return provider.calls.filter((call) => call.kind === kind).map(({ claim }) => claim.key);
}

const several = ['c', 'a', 'b'];

describe('locks.multiLock in one step', () => {
  it('takes all keys in one call, and is one lease with the token of each', async () => {
    const setting = createJointSetting();
    const lease = await setting.locks.multiLock(several).acquire();
    expect(keysOf(setting, 'tryAcquireAll')).toEqual(['a', 'b', 'c']);
    expect(setting.provider.attempts).toEqual([]);
    expect([...lease.tokens]).toEqual([
      ['a', 100n],
      ['b', 101n],
      ['c', 102n],
    ]);
    const owners = setting.provider.calls.map(({ claim }) => claim.owner);
    expect(new Set(owners).size).toBe(3);
    await setting.runtime.advance(30_000);
    expect(lease.held).toBe(true);
    expect(new Set(keysOf(setting, 'renew'))).toEqual(new Set(['a', 'b', 'c']));
    expect(await lease.release()).toBe(true);
    expect(keysOf(setting, 'release')).toEqual(['a', 'b', 'c']);
    await expectNothingLeft(setting);
  });

  it('runs work that cannot wait for one of the keys', async () => {
    const { locks, provider } = createJointSetting({ findDeadlocks: true });
    provider.answers.tryAcquire = (call) => call.busy(100);
    const multi = locks.multiLock(several);
    for (const key of several) {
      await expect(multi.withLock(() => locks.acquire(key))).rejects.toMatchObject({ code: 'LOCK_DEADLOCK', key });
    }
    expect(await multi.tryWithLock((lease: MultiLease) => lease.keys)).toEqual({ held: true, value: ['a', 'b', 'c'] });
  });

  it.each(several)('says that %s was lost under the work', async (lost) => {
    const { runtime, provider, locks } = createJointSetting();
    provider.answers.renew = (call) => call.answer(call.claim.key === lost ? false : {});
    const done = watch(
      locks.multiLock(several).withLock({ ttl: 1_000 }, () => runtime.advance(1_000).then(() => 'done')),
    );
    await settle();
    await runtime.advance(2_000);
    expect(done.error).toMatchObject({ code: 'LOCK_LOST', key: lost, result: 'done' });
    expect(provider.calls.filter(({ kind }) => kind === 'release')).toHaveLength(3);
  });

  it('takes one key after another where one is not free, with other claims and the rest of the wait', async () => {
    const setting = createJointSetting();
    const { runtime, provider, locks } = setting;
    provider.answers.tryAcquireAll = () => {};
    provider.answers.tryAcquire = (call) => (call.claim.key === 'b' ? call.busy(10_000) : call.grant());
    const start = runtime.time;
    const taken = watch(locks.multiLock(several).acquire({ wait: 300 }), runtime);
    await runtime.advance(200);
    for (const call of provider.calls) call.busy();
    await runtime.advance(1_000);
    expect(taken.error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'b' });
    expect(taken.at).toBeLessThanOrEqual(start + 320);
    expect(keysOf(setting, 'tryAcquire')).toEqual(['a', 'b']);
    const joint = new Set(provider.calls.slice(0, 3).map(({ claim }) => claim.owner));
    expect(provider.releases.filter(({ claim }) => joint.has(claim.owner))).toEqual([]);
  });

  it('takes one key after another for one key, more than 100 keys, and reentrant calls', async () => {
    const setting = createJointSetting();
    const many = Array.from({ length: 101 }, (_, index) => `k${index}`);
    await setting.locks.multiLock(['a']).acquire();
    await setting.locks.multiLock(many).acquire();
    await setting.locks.multiLock(several).withLock({ reentrant: true }, () => {});
    expect(keysOf(setting, 'tryAcquireAll')).toEqual([]);
    await setting.locks.multiLock(many.slice(1)).acquire();
    expect(keysOf(setting, 'tryAcquireAll')).toHaveLength(100);
  });

  describe('when its caller stops waiting', () => {
    const ends: readonly [string, Partial<SettingOptions>, string, (setting: Setting, abort: () => void) => unknown][] =
      [
        ['the signal aborts', {}, 'the request was cancelled', (_setting, abort) => abort()],
        ['the wait is over', {}, 'LOCK_UNAVAILABLE', ({ runtime }) => runtime.advance(300)],
        ['the Locks is closed', { closeTimeout: 0 }, 'LOCK_CLOSED', ({ locks }) => void locks.close()],
      ];
    it.each(ends)('gives all back, if it has them later: %s', async (_name, options, reason, end) => {
      const setting = createJointSetting(options);
      const { runtime, provider, locks } = setting;
      provider.answers.tryAcquireAll = () => {};
      const controller = new AbortController();
      const taken = watch(locks.multiLock(several).acquire({ wait: 300, signal: controller.signal }), runtime);
      const left: unknown[] = [];
      const unsubscribe = subscribe('locks:giveup', ({ key, attempts }) => left.push([key, attempts]));
      await settle();
      await end(setting, () => controller.abort(new Error(reason)));
      await settle();
      const { code, message } = taken.error as LockError;
      expect(code ?? message).toBe(reason);
      expect(left).toEqual(['a', 'b', 'c'].map((key) => [key, 1]));
      unsubscribe();
      expect(provider.releases).toEqual([]);
      for (const call of provider.calls) call.grant();
      await settle();
      expect(keysOf(setting, 'release')).toEqual(['a', 'b', 'c']);
    });

    it('sends nothing where the signal is aborted already', async () => {
      const { provider, locks } = createJointSetting();
      const reason = new Error('cancelled before');
      await expect(locks.multiLock(several).acquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(provider.calls).toEqual([]);
    });
  });

  describe('when the answer is lost', () => {
    it('gives all back, and says that nothing is known', async () => {
      const setting = createJointSetting();
      const { runtime, provider, locks } = setting;
      provider.answers.tryAcquireAll = (call) => call.reject();
      provider.answers.release = (call) => call.answer(false);
      const taken = watch(locks.multiLock(several).tryAcquire({ ttl: 1_000 }));
      await runtime.advance(500);
      expect(taken.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', key: 'a', cause: new Error('connection lost') });
      const before = provider.releases.length;
      expect(before).toBeGreaterThan(3);
      // The effect of the attempt may come late, until its ttl is over.
      await runtime.advance(2_000);
      expect(provider.releases.length).toBeGreaterThan(before);
      const after = provider.releases.length;
      await runtime.advance(10_000);
      expect(provider.releases).toHaveLength(after);
      expect(setting.provider.attempts).toEqual([]);
    });

    it('goes on one after another with other claims, if it may wait', async () => {
      const setting = createJointSetting();
      const { provider, locks } = setting;
      provider.answers.tryAcquireAll = (call) => call.reject();
      const lease = await locks.multiLock(several).acquire();
      expect(lease.keys).toEqual(['a', 'b', 'c']);
      expect(keysOf(setting, 'release')).toEqual(['a', 'b', 'c']);
      expect(keysOf(setting, 'tryAcquire')).toEqual(['a', 'b', 'c']);
    });

    it('gives nothing back that was never sent', async () => {
      const { provider, locks } = createJointSetting();
      const error = new LockError('LOCK_UNAVAILABLE', 'no connection', { sent: false });
      provider.answers.tryAcquireAll = (call) => call.reject(error);
      await expect(locks.multiLock(several).tryAcquire()).rejects.toMatchObject({ cause: error });
      expect(provider.releases).toEqual([]);
    });

    it('leaves it to single calls what is refused for good, and gives all back once', async () => {
      const setting = createJointSetting();
      const { runtime, provider, locks } = setting;
      const error = new LockError('LOCK_MISCONFIGURED', 'the function is missing');
      provider.answers.tryAcquireAll = (call) => call.reject(error);
      provider.answers.release = (call) => call.answer(call.claim.owner === provider.calls[3]?.claim.owner);
      const lease = await locks.multiLock(several).tryAcquire();
      expect(lease?.keys).toEqual(['a', 'b', 'c']);
      await runtime.advance(5_000);
      expect(keysOf(setting, 'release')).toEqual(['a', 'b', 'c']);
    });
  });

  it.each([
    ['of too few keys', () => [{ granted: true, token: 1n }]],
    ['of which one is busy', () => [{ granted: true, token: 1n }, { granted: false }, { granted: true, token: 1n }]],
    ['that is no list', () => true],
  ])('takes no answer %s', async (_name, answer) => {
    const { provider, locks } = createJointSetting();
    const scripted = provider.tryAcquireAll;
    provider.tryAcquireAll = async (claims) => {
      await scripted?.(claims);
      return answer() as never;
    };
    await expect(locks.multiLock(several).tryAcquire()).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      cause: { message: expect.stringContaining('its adapter is at fault') as string },
    });
    expect(provider.releases).toHaveLength(3);
  });

  it('gives back grants that come after their validity', async () => {
    const { runtime, provider, locks } = createJointSetting();
    provider.answers.tryAcquireAll = () => {};
    const taken = watch(locks.multiLock(several).tryAcquire({ ttl: 1_000 }));
    await runtime.advance(1_100);
    for (const call of provider.calls) call.grant();
    await settle();
    expect(taken.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(provider.releases).toHaveLength(3);
  });

  it('takes keys with lockDelay for longer than their leases are valid', async () => {
    const { provider, locks } = createJointSetting();
    const lease = await locks.multiLock(several).acquire({ ttl: 1_000, lockDelay: 5_000 });
    expect(provider.calls.map(({ claim }) => claim.ttl)).toEqual([6_000, 6_000, 6_000]);
    expect(lease.remaining).toBeLessThanOrEqual(1_000);
  });
});

describe('a provider that takes several keys in one step', () => {
  const claim = (key: string, more: Partial<Claim> = {}): Claim => ({
    key,
    owner: `me/${key}`,
    ttl: 10_000,
    mode: 'exclusive',
    ...more,
  });

  it('takes none of them in memory where one has no next token', async () => {
    const provider = createMemoryProvider();
    const last = claim('b', { owner: 'last' });
    await provider.tryAcquire(last);
    await provider.renew(last, 2n ** 53n - 1n);
    await provider.release(last);
    await provider.tryAcquire(last);
    await provider.release(last);
    await expect(provider.tryAcquireAll?.([claim('a'), claim('b')])).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    expect((await provider.inspect('a')).holders).toEqual([]);
  });

  it('keeps one holder of each key in memory while idle keys are forgotten', async () => {
    const provider = createMemoryProvider();
    const use = async (key: string): Promise<void> => {
      await provider.tryAcquire(claim(key));
      await provider.release(claim(key));
    };
    const range = Array.from({ length: 200 }, (_, index) => index);
    for (const index of range.slice(0, 100)) await use(`early ${index}`);
    await provider.tryAcquire(claim('held'));
    const wanted = ['new', 'early 0', 'held'].map((key) => claim(key, { owner: `other/${key}` }));
    expect(await provider.tryAcquireAll?.(wanted)).toBe(false);
    await provider.tryAcquire(claim('early 0'));
    for (const index of range) await use(`late ${index}`);
    expect(await provider.tryAcquire(claim('early 0', { owner: 'second' }))).toMatchObject({ granted: false });
  });

  it('hears names with a prefix, and is heard with the keys of its caller', async () => {
    const inner = createMemoryProvider();
    const provider = namespaced(inner, 'team');
    expect(await provider.tryAcquireAll?.([claim('a'), claim('b')])).toHaveLength(2);
    expect((await inner.inspect('4:team:b')).holders).toHaveLength(1);
    const asked: LockProvider = {
      name: inner.name,
      traits: inner.traits,
      tryAcquire: (each) => inner.tryAcquire(each),
      renew: (each) => inner.renew(each),
      release: (each) => inner.release(each),
      inspect: (key) => inner.inspect(key),
      close: () => inner.close(),
    };
    const tryAcquireAll = async ([, second]: readonly Claim[]): Promise<never> => {
      const key = second?.key ?? '';
      throw new LockError('LOCK_UNAVAILABLE', `nothing is known of ${JSON.stringify(key)}`, { key });
    };
    const failing = namespaced({ ...asked, tryAcquireAll }, 'team');
    await expect(failing.tryAcquireAll?.([claim('a'), claim('b')])).rejects.toMatchObject({
      message: 'nothing is known of "b"',
      key: 'b',
    });
    expect(namespaced(asked, 'team').tryAcquireAll).toBeUndefined();
  });
});
