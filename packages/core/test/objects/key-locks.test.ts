import { describe, expect, it } from 'vitest';
import { createSetting } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';
import { settle } from '../support/virtual-runtime.ts';
import { lockError, misconfigured } from '../support/lock-error.ts';

describe('locks.mutex', () => {
  it('is its key, exclusively, in all four calls', async () => {
    const { one, two } = twoProcesses();
    const mutex = one.mutex('seat');
    const lease = await mutex.acquire();
    expect([lease.key, lease.mode]).toEqual(['seat', 'exclusive']);
    expect(await two.mutex('seat').tryAcquire()).toBeNull();
    expect(await two.mutex('seat').tryWithLock(() => 'ran')).toEqual({ held: false });
    await lease.release();
    expect(await mutex.withLock((own) => own.key)).toBe('seat');
    expect(await mutex.withLock({ wait: 0 }, () => 1)).toBe(1);
    expect(await mutex.tryWithLock({ ttl: 500 }, () => 2)).toEqual({ held: true, value: 2 });
    expect((await mutex.tryAcquire())?.held).toBe(true);
  });

  it('refuses a wrong key when it is made, and what the object says itself in its calls', async () => {
    const { one } = twoProcesses();
    for (const make of [() => one.mutex(''), () => one.readWriteLock('a\0b'), () => one.semaphore('', 1)]) {
      expect(make).toThrow(expect.objectContaining({ code: 'LOCK_INVALID' }));
    }
    const options = { mode: 'shared' } as never;
    for (const call of [
      () => one.mutex('seat').acquire(options),
      () => one.mutex('seat').withLock(options, () => 1),
      () => one.multiLock(['seat']).tryAcquire(options),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'LOCK_INVALID',
        message: 'Lock options: option "mode" is set on the object, not on its calls. Leave it out.',
      });
    }
  });
});

describe('locks.semaphore', () => {
  it('goes by the number of each process, where two processes have other numbers', async () => {
    const { one, two } = twoProcesses();
    const [before, after] = [one.semaphore('exports', 1), two.semaphore('exports', 3)];
    const old = await before.acquire();
    const both = await after.take(2).acquire();
    expect([await after.tryAcquire(), await before.tryAcquire()]).toEqual([null, null]);
    expect([await before.availablePermits(), await after.availablePermits()]).toEqual([0, 0]);
    expect((await one.inspect('exports')).holders.map(({ permits }) => permits)).toEqual([1, 3, 3]);
    await old.release();
    expect(await before.tryAcquire()).toBeNull();
    const third = await after.acquire();
    await both.release();
    const other = await one.semaphore('exports', 2).acquire();
    await Promise.all([third.release(), other.release()]);
  });

  it.each([0, -1, 1.5, Number.NaN, '3', undefined])('refuses %s permits when it is made', (permits) => {
    const { one } = twoProcesses();
    expect(() => one.semaphore('exports', permits as number)).toThrow(
      expect.objectContaining(lockError('LOCK_INVALID', 'permits')),
    );
  });
});

describe('an object that the provider cannot carry', () => {
  it('is refused when it is made, with the name of the trait', async () => {
    const { locks } = createSetting({ traits: { shared: false } });
    for (const make of [() => locks.readWriteLock('key'), () => locks.semaphore('key', 3)]) {
      expect(make).toThrow(expect.objectContaining(misconfigured('shared: true')));
    }
    expect(locks.mutex('key')).toBeDefined();
    await settle();
  });
});

describe('a lock object', () => {
  it('tells its key, who holds it, and whether it could be taken now', async () => {
    const { one, two } = twoProcesses();
    const mutex = one.mutex('seat');
    const { read, write, inspect, key } = one.readWriteLock('seat');
    const seats = one.semaphore('seats', 3);
    const both = seats.take(2);
    expect([mutex.key, read.key, write.key, key, seats.key, both.key]).toEqual([
      ...['seat', 'seat', 'seat', 'seat', 'seats', 'seats'],
    ]);
    const locked = async (): Promise<readonly boolean[]> =>
      await Promise.all([mutex, read, write, seats, both].map((each) => each.isLocked()));
    expect(await locked()).toEqual([false, false, false, false, false]);
    const reader = await two.readWriteLock('seat').read.acquire();
    await two.semaphore('seats', 3).take(2).acquire();
    expect(await locked()).toEqual([true, false, true, false, true]);
    expect(await seats.availablePermits()).toBe(1);
    expect((await inspect()).holders).toMatchObject([{ key: 'seat', owner: reader.owner, mode: 'shared' }]);
    await reader.release();
    await two.semaphore('seats', 3).acquire();
    await two.mutex('seat').acquire();
    expect(await locked()).toEqual([true, true, true, true, true]);
    expect(await seats.availablePermits()).toBe(0);
    expect((await mutex.inspect()).holders).toHaveLength(1);
    await two.mutex('open').acquire();
    expect(await one.semaphore('open', 2).availablePermits()).toBe(0);
  });
});
