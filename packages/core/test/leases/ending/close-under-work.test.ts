import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import type { Lease, Locks } from '../../../src/index.ts';
import { createFreeSetting, watch } from '../../support/setting.ts';
import { twoProcesses } from '../../support/two-processes.ts';
import { settle } from '../../support/virtual-runtime.ts';

describe('close while work runs under a lock', () => {
  it('ends work that goes on for longer than drain with LOCK_LOST, with LOCK_CLOSED in what it says', async () => {
    const { runtime, provider, locks } = createFreeSetting({ drain: 700 });
    const done = watch(locks.withLock('key', () => new Promise(() => {})));
    const ending = watch(locks.withLock('other', async ({ signal }) => void (await once(signal, 'abort'))));
    await settle();
    const closing = watch(locks.close(), runtime);
    await settle();
    expect(ending.state).toBe('fulfilled');
    expect(provider.releases.map(({ claim }) => claim.key)).toEqual(['other']);
    await runtime.advance(699);
    expect(provider.releases).toHaveLength(1);
    await runtime.advance(1);
    expect(provider.releases.map(({ claim }) => claim.key)).toEqual(['other', 'key']);
    expect(closing.state).toBe('fulfilled');
    expect(done.state).toBe('open');
  });

  it('waits for work no longer than closeTimeout, and not at all with drain: 0', async () => {
    for (const [options, expected] of [
      [{ closeTimeout: 300 }, 300],
      [{ drain: 0 }, 0],
    ] as const) {
      const { runtime, locks } = createFreeSetting(options);
      const start = runtime.time;
      watch(locks.withLock('key', () => new Promise(() => {})));
      await settle();
      const closing = watch(locks.close(), runtime);
      await runtime.advance(10_000);
      expect((closing.at ?? Infinity) - start).toBe(expected);
    }
  });

  it('called by work under a lock ends: the work is not waited for, where that is known', async () => {
    const { runtime, locks } = createFreeSetting({ findDeadlocks: true });
    const done = watch(
      locks.withLock('outer', () => locks.withLock('inner', async () => await locks.close())),
      runtime,
    );
    await settle();
    expect(done.state).toBe('fulfilled');
    expect(done.took).toBe(0);
  });

  it.each<[string, (locks: Locks, work: (lease: Lease) => Promise<void>) => unknown]>([
    ['withLock', (locks, work) => locks.withLock('a', { reentrant: true }, work)],
    ['several permits', (locks, work) => locks.semaphore('a', 2).take(2).withLock(work)],
    ['several keys', (locks, work) => locks.multiLock(['a', 'b']).withLock(work)],
    ['an election', (locks, work) => locks.elect('a', work)],
  ])('called by work of %s leaves it its keys, for at most drain', async (_, begin) => {
    for (const [length, kept] of [
      [4_000, 4_000],
      [9_000, 5_000],
    ] as const) {
      const { runtime, one, two } = twoProcesses({ findDeadlocks: true });
      let returned: number | undefined;
      const work = begin(one, async () => {
        await one.close();
        returned = runtime.time;
        await new Promise<void>((resolve) => void runtime.setTimer(() => resolve(), length, true));
      });
      // It hears of the loss after drain.
      if (work instanceof Promise) work.catch(() => {});
      await runtime.advance(50);
      const start = runtime.time;
      expect(returned).toBeLessThanOrEqual(start);
      const closing = watch(one.close(), runtime);
      const waiting = watch(two.acquire('a'), runtime);
      await runtime.advance(12_000);
      for (const { at = Infinity } of [waiting, closing]) {
        expect(at - start).toBeGreaterThanOrEqual(kept - 100);
        expect(at - start).toBeLessThan(kept + 100);
      }
    }
  });

  it('called by work under a lock ends after drain, where nothing tells of that', async () => {
    const { runtime, locks } = createFreeSetting({ findDeadlocks: false, drain: 500 });
    const done = watch(
      locks.withLock('key', async () => await locks.close()),
      runtime,
    );
    await runtime.advance(10_000);
    expect(done.error).toMatchObject({ code: 'LOCK_LOST', cause: { code: 'LOCK_CLOSED' } });
    expect(done.took).toBe(500);
  });

  it.each<[string, (locks: Locks, work: (lease: Lease) => Promise<void>) => unknown]>([
    ['withLock', (locks, work) => locks.withLock('a', work)],
    ['a reentrant withLock', (locks, work) => locks.withLock('a', { reentrant: true }, work)],
    ['tryWithLock', (locks, work) => locks.tryWithLock('a', work)],
    ['a mutex', (locks, work) => locks.mutex('a').withLock(work)],
    ['a semaphore', (locks, work) => locks.semaphore('a', 1).withLock(work)],
    ['several permits', (locks, work) => locks.semaphore('a', 2).take(2).withLock(work)],
    ['the write side of a lock', (locks, work) => locks.readWriteLock('a').write.withLock(work)],
    ['several keys', (locks, work) => locks.multiLock(['a', 'b']).withLock(work)],
    ['an election', (locks, work) => locks.elect('a', work)],
  ])('keeps the keys of %s until its work has ended', async (_, begin) => {
    const { runtime, one, two } = twoProcesses();
    let heard: unknown;
    let heldAtEnd: boolean | undefined;
    begin(one, async (lease) => {
      lease.signal.addEventListener('abort', () => void (heard = lease.signal.reason));
      await new Promise<void>((resolve) => void runtime.setTimer(() => resolve(), 4_000, true));
      heldAtEnd = lease.held;
    });
    await runtime.advance(50);
    const start = runtime.time;
    const closing = watch(one.close(), runtime);
    const waiting = watch(two.acquire('a'), runtime);
    await runtime.advance(60);
    expect(heard).toMatchObject({ code: 'LOCK_CLOSED' });
    await runtime.advance(10_000);
    expect(heldAtEnd).toBe(true);
    expect((waiting.at ?? 0) - start).toBeGreaterThanOrEqual(3_900);
    expect((waiting.at ?? Infinity) - start).toBeLessThan(4_100);
    expect((closing.at ?? Infinity) - start).toBeLessThan(4_100);
  });
});
