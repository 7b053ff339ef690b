import { describe, expect, it } from 'vitest';
import { expectNothingLeft, watch } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';

const key = 'exports';

describe('take of a semaphore', () => {
  it('takes so many permits, as one lease', async () => {
    const { runtime, one, two } = twoProcesses();
    const lease = await one.semaphore(key, 3).take(2).acquire();
    expect([lease.key, lease.mode, lease.held, lease.remaining]).toEqual([key, 'shared', true, 988]);
    expect((await two.inspect(key)).holders).toHaveLength(2);
    const other = two.semaphore(key, 3);
    expect(await other.take(2).tryAcquire()).toBeNull();
    const third = await other.tryAcquire();
    expect(third?.held).toBe(true);
    await runtime.advance(5_000);
    expect(lease.held).toBe(true);
    expect(await lease.release()).toBe(true);
    expect((await two.inspect(key)).holders).toHaveLength(1);
    expect(await other.take(2).tryWithLock((both) => both.held)).toEqual({ held: true, value: true });
    expect(await other.take(1).withLock((single) => single.mode)).toBe('shared');
    expect(
      await one
        .semaphore(key, 3)
        .take(2)
        .withLock({ wait: 10 }, () => 'ran'),
    ).toBe('ran');
    await expectNothingLeft({ runtime, locks: one });
  });

  it('takes all or nothing: what it has goes back at its deadline, and at its signal', async () => {
    const { runtime, one, two } = twoProcesses();
    const held = await two.semaphore(key, 3).acquire();
    const all = one.semaphore(key, 3).take(3);
    expect(await all.tryAcquire()).toBeNull();
    const late = watch(all.acquire({ wait: 500 }));
    const never = watch(all.tryAcquire({ wait: 400 }));
    const controller = new AbortController();
    const aborted = watch(all.acquire({ signal: controller.signal }));
    await runtime.advance(200);
    expect((await two.inspect(key)).holders).toHaveLength(3);
    const reason = new Error('not wanted any more');
    controller.abort(reason);
    await runtime.advance(500);
    expect(late.error).toMatchObject({ code: 'LOCK_TIMEOUT', key });
    expect([never.state, never.value]).toEqual(['fulfilled', null]);
    expect(aborted.error).toBe(reason);
    expect(await two.inspect(key)).toMatchObject({ holders: [{ owner: held.owner }], waiters: 0 });
    expect(await two.inspect(`semaphore/take/${key}`)).toMatchObject({ holders: [], waiters: 0 });
  });

  it('does not starve behind those that take one, and they do not starve behind it', async () => {
    const { runtime, one, two } = twoProcesses();
    const single = two.semaphore(key, 2);
    let [rounds, ends] = [0, false];
    const loop = async (): Promise<void> => {
      while (!ends) {
        await single.withLock(async () => {
          rounds += 1;
          await new Promise<void>((resolve) => runtime.setTimer(resolve, 10, false));
        });
      }
    };
    const loops = [loop(), loop(), loop(), loop()];
    await runtime.advance(55);
    const waits: number[] = [];
    const pairs = (async (): Promise<void> => {
      for (let index = 0; index < 10; index += 1) {
        const { time } = runtime;
        await one
          .semaphore(key, 2)
          .take(2)
          .withLock(() => waits.push(runtime.time - time));
      }
    })();
    const before = rounds;
    await runtime.advance(1_000);
    await pairs;
    expect(Math.max(...waits)).toBeLessThan(60);
    expect(rounds - before).toBeGreaterThan(50);
    ends = true;
    await runtime.advance(100);
    await Promise.all(loops);
  });

  it('is refused where its own context has too many of them', async () => {
    const { one } = twoProcesses({ findDeadlocks: true });
    const semaphore = one.semaphore(key, 3);
    const deadlock = { code: 'LOCK_DEADLOCK', key };
    await semaphore.take(2).withLock(async () => {
      await expect(semaphore.take(2).acquire()).rejects.toMatchObject(deadlock);
      expect(await semaphore.take(2).tryAcquire()).toBeNull();
      await semaphore.withLock(async () => {
        await expect(semaphore.acquire()).rejects.toMatchObject(deadlock);
      });
    });
    expect(await semaphore.take(3).withLock(() => 'free')).toBe('free');
  });

  it.each([0, 4, 1.5, '2', undefined])('refuses %s of 3 when it is made', (count) => {
    const { one } = twoProcesses();
    expect(() => one.semaphore(key, 3).take(count as number)).toThrow(
      expect.objectContaining({ code: 'LOCK_INVALID', message: expect.stringContaining('from 1 to its 3') as unknown }),
    );
  });

  it('is not reentrant', async () => {
    const { one } = twoProcesses({ reentrant: true });
    const pair = one.semaphore(key, 3).take(2);
    await expect(pair.acquire({ reentrant: true })).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    await one
      .semaphore(key, 3)
      .withLock(() => pair.withLock(async () => expect((await one.inspect(key)).holders).toHaveLength(3)));
  });
});
