import { describe, expect, it } from 'vitest';
import { createTestLocks, createVirtualRuntime } from '../../src/testing/index.ts';
import { createDeferred } from '../../src/time/deferred.ts';

describe('locks for unit tests', () => {
  it('tell which keys were taken, once for each lease', async () => {
    const { locks, taken } = createTestLocks();
    expect(taken).toEqual([]);
    await locks.withLock('a', () => locks.withLock('b', () => {}));
    const lease = await locks.acquire('a');
    expect(await locks.tryAcquire('a')).toBeNull();
    await lease.renew();
    const both = await locks.multiLock(['c', 'd']).acquire();
    await both.release();
    expect(taken).toEqual(['a', 'b', 'a', 'c', 'd']);
    await locks.close();
  });

  it('lose the leases of one key on command, and free it', async () => {
    const { locks, lose } = createTestLocks();
    const lease = await locks.acquire('job');
    const other = await locks.acquire('other');
    expect(await lose('job')).toBe(1);
    expect(lease.held).toBe(false);
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'job' });
    expect(String(lease.signal.reason)).toContain('the test took it away');
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(other.held).toBe(true);
    const next = await locks.tryAcquire('job');
    expect(next?.token).toBeGreaterThan(lease.token);
    expect(await lose('nothing')).toBe(0);
    await locks.close();
    expect(await lose('other')).toBe(0);
  });

  it('lose a lease before anything has looked at its signal', async () => {
    const { locks, lose } = createTestLocks();
    const lease = await locks.acquire('job');
    await lose('job', 'the session has ended');
    expect(lease.signal.aborted).toBe(true);
    expect(String(lease.signal.reason)).toContain('the session has ended');
    await locks.close();
  });

  it('lose the lease of running work, which a waiter gets', async () => {
    const { locks, lose } = createTestLocks();
    const begun = createDeferred();
    const working = locks.withLock('job', async ({ signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'half';
    });
    await begun.promise;
    const ended = working.catch((error: unknown) => error);
    const waiting = locks.acquire('job');
    await lose('job');
    expect(await ended).toMatchObject({ code: 'LOCK_LOST', result: 'half' });
    expect((await waiting).held).toBe(true);
    await locks.close();
  });

  it('lose all sharers', async () => {
    const { locks, lose } = createTestLocks();
    const { read } = locks.readWriteLock('page');
    const leases = [await read.acquire(), await read.acquire()];
    expect(await lose('page')).toBe(2);
    expect(leases.map(({ held }) => held)).toEqual([false, false]);
    await locks.close();
  });

  it('share the time of a runtime', async () => {
    const runtime = createVirtualRuntime();
    const { locks } = createTestLocks({ runtime, ttl: 10_000, renew: false });
    const lease = await locks.acquire('job');
    const waiting = locks.acquire('job');
    await runtime.advance(10_000);
    expect(lease.held).toBe(false);
    expect((await waiting).held).toBe(true);
    await locks.close();
  });
});
