import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Locks, MultiLease, MultiLockable } from '../../src/index.ts';
import { createFreeSetting, watch } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';
import { settle } from '../support/virtual-runtime.ts';

describe('locks.multiLock', () => {
  it('takes each key once, in an order of its own, and is one lease', async () => {
    const { provider, locks } = createFreeSetting();
    const lease = await locks.multiLock(['c', 'a', 'b', 'a']).acquire();
    expect(provider.attempts.map(({ claim }) => claim.key)).toEqual(['a', 'b', 'c']);
    expect(lease.keys).toEqual(['a', 'b', 'c']);
    expect([...lease.tokens]).toEqual([
      ['a', lease.token],
      ['b', lease.token + 1n],
      ['c', lease.token + 2n],
    ]);
    const text = JSON.stringify(lease);
    expect(JSON.parse(text)).toMatchObject({ key: 'a', keys: ['a', 'b', 'c'], held: true });
    expect(inspect(lease)).toMatch(/^MultiLease \{/);
    expect(await lease.release()).toBe(true);
    expect(lease.held).toBe(false);
    expect(provider.releases).toHaveLength(3);
  });

  it('gives all back when one is not free in time, under one wait', async () => {
    const { runtime, one, two } = twoProcesses();
    await two.acquire('b');
    const start = runtime.time;
    const taken = watch(one.multiLock(['a', 'b', 'c']).acquire({ wait: 300 }), runtime);
    await runtime.advance(1_000);
    expect(taken.error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'b' });
    expect(taken.at).toBeLessThanOrEqual(start + 400);
    expect((await two.inspect('a')).holders).toEqual([]);
    expect(await one.multiLock(['a', 'b']).tryAcquire()).toBeNull();
    expect(await one.multiLock(['a', 'b']).tryWithLock(() => 'ran')).toEqual({ held: false });
    expect((await two.inspect('a')).holders).toEqual([]);
  });

  it('does not wait on for a key when one that it holds is lost', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => (call.claim.key === 'a' ? call.grant() : call.busy(10_000));
    provider.answers.renew = (call) => call.answer(false);
    const multi = locks.multiLock(['a', 'b']);
    const calls = [
      watch(multi.acquire({ ttl: 1_000 })),
      watch(multi.withLock({ ttl: 1_000 }, () => 'ran')),
      watch(multi.tryWithLock({ ttl: 1_000, wait: 60_000 }, () => 'ran')),
    ];
    await runtime.advance(2_000);
    for (const call of calls) expect(call.error).toMatchObject({ code: 'LOCK_LOST', key: 'a' });
  });

  it('heeds the signal of its caller at each key', async () => {
    const { runtime, one, two } = twoProcesses();
    await two.acquire('b');
    const controller = new AbortController();
    const taken = watch(one.multiLock(['b', 'a']).acquire({ signal: controller.signal }));
    await runtime.advance(100);
    controller.abort(new Error('the request was cancelled'));
    await settle();
    expect(taken.error).toMatchObject({ message: 'the request was cancelled' });
    await runtime.advance(100);
    expect((await two.inspect('a')).holders).toEqual([]);
  });

  it('runs work under all keys', async () => {
    const { provider, locks } = createFreeSetting();
    const multi = locks.multiLock(['a', 'b']);
    expect(await multi.withLock({ ttl: 1_000 }, (lease) => lease.keys)).toEqual(['a', 'b']);
    expect(await multi.tryWithLock((lease: MultiLease) => lease.tokens.size)).toEqual({ held: true, value: 2 });
    expect(provider.releases).toHaveLength(4);
  });

  it.each(['a', 'b', 'c'])('tells what work came to when key %s was lost under it', async (lost) => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.renew = (call) => call.answer(call.claim.key === lost ? false : {});
    const multi = locks.multiLock(['a', 'b', 'c']);
    const failure = new Error('the work went wrong');
    const under = (end: (lease: MultiLease) => unknown) => async (lease: MultiLease) => {
      await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      return end(lease);
    };
    const raise = (error: unknown): never => {
      throw error;
    };
    let reason: unknown;
    const run = (end: (lease: MultiLease) => unknown) => watch(multi.withLock({ ttl: 1_000 }, under(end)));
    const calls = [
      run(() => 'too late'),
      watch(
        multi.tryWithLock(
          { ttl: 1_000 },
          under(() => 'too late'),
        ),
      ),
      run(() => raise(failure)),
      run(({ signal }) => raise((reason = signal.reason))),
    ];
    await runtime.advance(2_000);
    const [returned, tried, threw, gaveUp] = calls.map(({ error }) => error);
    expect(returned).toMatchObject({ code: 'LOCK_LOST', key: lost, result: 'too late' });
    expect(tried).toMatchObject({ code: 'LOCK_LOST', key: lost, result: 'too late' });
    expect(threw).toMatchObject({ code: 'LOCK_LOST', key: lost, cause: failure });
    expect(gaveUp).toBe(reason);
  });

  it.each([[[]], ['a'], [undefined], [['a', '']], [['a', 3]]])('refuses %j when it is made', (keys) => {
    const { locks } = createFreeSetting();
    expect(() => locks.multiLock(keys as string[])).toThrow(expect.objectContaining({ code: 'LOCK_INVALID' }));
  });
});

describe('locks.multiLock of objects', () => {
  it('takes each in its own way: a reader here, a writer there, permits, a key', async () => {
    const { one, two } = twoProcesses();
    const make = (locks: Locks): MultiLockable =>
      locks.multiLock([
        locks.semaphore('seats', 3).take(2),
        'order',
        locks.readWriteLock('stock').write,
        locks.readWriteLock('catalogue').read,
      ]);
    const all = make(one);
    expect(all.keys).toEqual(['catalogue', 'order', 'seats', 'stock']);
    const reader = await two.readWriteLock('catalogue').read.acquire();
    expect(await all.isLocked()).toBe(false);
    await all.withLock(async (lease) => {
      expect([...lease.tokens.keys()]).toEqual(all.keys);
      expect((await all.inspect()).map(({ key, holders }) => [key, holders.map(({ mode }) => mode)])).toEqual([
        ['catalogue', ['shared', 'shared']],
        ['order', ['exclusive']],
        ['seats', ['shared', 'shared']],
        ['stock', ['exclusive']],
      ]);
      expect(await all.isLocked()).toBe(true);
      expect(await make(two).tryAcquire()).toBeNull();
      expect(await two.semaphore('seats', 3).availablePermits()).toBe(1);
    });
    await reader.release();
    const lease = await make(two).tryAcquire();
    expect(lease?.held).toBe(true);
    await lease?.release();
    expect((await all.inspect()).flatMap(({ holders }) => holders)).toEqual([]);
  });

  it('refuses a key that is there twice in different ways, and objects of others', () => {
    const { one, two } = twoProcesses();
    const { read, write } = one.readWriteLock('stock');
    for (const [parts, message] of [
      [[read, write], '"stock" twice'],
      [['stock', read], '"stock" twice'],
      [[one.semaphore('stock', 2), one.semaphore('stock', 2).take(2)], '"stock" twice'],
      [[two.mutex('a'), 'b'], 'of the same client'],
      [[one.multiLock(['a']), 'b'], 'of the same client'],
    ] as const) {
      expect(() => one.multiLock(parts as never)).toThrow(
        expect.objectContaining({ code: 'LOCK_INVALID', message: expect.stringContaining(message) }),
      );
    }
    expect(one.multiLock(['stock', write, one.mutex('stock')]).keys).toEqual(['stock']);
  });
});
