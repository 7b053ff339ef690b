import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLocks, createMemoryProvider } from '../../src/index.ts';
import type { Locks } from '../../src/index.ts';

interface FakeTimers {
  start(): void;
  advance(ms: number): Promise<void>;
  stop(): void;
}

const { mock } = process.getBuiltinModule('node:test');
const turn = setImmediate;
/** What promises do that are settled, and calls without I/O. */
const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => turn(resolve));
};

const ofVitest: FakeTimers = {
  start: () => vi.useFakeTimers(),
  advance: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
  stop: () => vi.useRealTimers(),
};
const kinds: Readonly<Record<string, FakeTimers>> = {
  'vitest, which fakes performance': ofVitest,
  'vitest, with timers only': {
    ...ofVitest,
    start: () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
  },
  'node:test, which does not fake performance': {
    start: () => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] }),
    // Its calls do not wait for promises.
    async advance(ms) {
      for (let left = ms; left > 0; left -= 1_000) {
        await settled();
        mock.timers.tick(Math.min(left, 1_000));
      }
      await settled();
    },
    stop: () => mock.timers.reset(),
  },
};

describe.each(Object.entries(kinds))('under the fake timers of %s', (_name, timers) => {
  let locks: Locks;
  afterEach(async () => {
    await locks.close();
    timers.stop();
  });

  function open(): void {
    timers.start();
    locks = createLocks(createMemoryProvider(), { ttl: 10_000 });
  }

  it('a lease ends with its ttl, and a waiter is granted', async () => {
    open();
    const lease = await locks.acquire('job', { renew: false });
    const { signal } = lease;
    const waiting = locks.acquire('job', { wait: 60_000 });
    await timers.advance(9_000);
    expect(lease.held).toBe(true);
    await timers.advance(2_000);
    expect(lease.held).toBe(false);
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    const next = await waiting;
    expect(next.token).toBeGreaterThan(lease.token);
  });

  it('a lease ends with its ttl when neither its signal nor a waiter is there', async () => {
    open();
    const lease = await locks.acquire('job', { renew: false });
    await timers.advance(11_000);
    expect(lease.held).toBe(false);
    expect(await locks.tryAcquire('job')).not.toBeNull();
  });

  it('a wait ends at its limit, and the lease it waited for is renewed', async () => {
    open();
    const lease = await locks.acquire('job');
    const refused = locks.acquire('job', { wait: 25_000 }).catch((error: unknown) => error);
    await timers.advance(26_000);
    expect(await refused).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(lease.held).toBe(true);
    expect(lease.remaining).toBeGreaterThan(5_000);
    expect(await lease.release()).toBe(true);
  });

  it('many calls go on without time', async () => {
    open();
    for (let count = 0; count < 2_000; count += 1) await locks.withLock('job', () => {});
    await timers.advance(100);
    for (let count = 0; count < 2_000; count += 1) await locks.withLock('job', () => {});
    expect(await locks.tryAcquire('job')).not.toBeNull();
  });

  it('a lease of before goes on, and ends in fake time', async () => {
    locks = createLocks(createMemoryProvider());
    const lease = await locks.acquire('job', { ttl: 10_000, renew: false });
    const { signal } = lease;
    timers.start();
    expect(lease.held).toBe(true);
    await timers.advance(11_000);
    expect(lease.held).toBe(false);
    expect(signal.aborted).toBe(true);
    const last = await locks.acquire('job', { ttl: 100, renew: false });
    timers.stop();
    await vi.waitFor(() => expect(last.held).toBe(false), 5_000);
    expect(last.signal.aborted).toBe(true);
  });

  it('serves the same locks before, during and after', async () => {
    locks = createLocks(createMemoryProvider(), { ttl: 400 });
    for (let round = 0; round < 2; round += 1) {
      const real = await locks.acquire('job', { renew: false });
      const { signal } = real;
      expect(real.remaining).toBeLessThanOrEqual(400);
      await vi.waitFor(() => expect(signal.aborted).toBe(true), 5_000);
      timers.start();
      const lease = await locks.acquire('job', { ttl: 60_000, renew: false });
      expect(lease.remaining).toBeGreaterThan(50_000);
      const refused = locks.acquire('job', { wait: 5_000 }).catch((error: unknown) => error);
      await timers.advance(6_000);
      expect(await refused).toMatchObject({ code: 'LOCK_TIMEOUT' });
      expect(lease.held).toBe(true);
      await lease.release();
      timers.stop();
    }
  });
});
