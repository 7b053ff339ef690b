import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { LockError, Locks, MemoryStore } from '../../../core/src/index.ts';
import type { End, MigrateOptions, PhaseWord } from '../../src/index.ts';
import { breakable } from '../../../core/test/support/breakable.ts';
import type { Breakable } from '../../../core/test/support/breakable.ts';

interface Process {
  phase: PhaseWord;
  readonly from: Breakable;
  readonly to: Breakable;
  readonly locks: Locks;
}

interface Given extends Partial<MigrateOptions> {
  readonly down?: readonly End[];
}

/** Processes that meet in two stores, each over connections of its own. */
function fleet(): (phase: PhaseWord, given?: Given) => Process {
  const stores: Readonly<Record<End, MemoryStore>> = { from: createMemoryStore(), to: createMemoryStore() };
  return (phase, { down = [], ...more } = {}) => {
    const connect = (end: End): Breakable => {
      const connection = breakable(createMemoryProvider({ store: stores[end] }));
      connection.down = down.includes(end);
      return connection;
    };
    const [from, to] = [connect('from'), connect('to')];
    const options = { presenceTtl: 1_000, settle: 0, memberTimeout: 100, timeout: 400, ...more };
    const made: Process = {
      phase,
      from,
      to,
      locks: createLocks(migrate({ name: 'm', from, to, phase: () => made.phase, ...options }), {
        closeProvider: true,
        ttl: 600,
        closeTimeout: 300,
      }),
    };
    onTestFinished(() => made.locks.close());
    return made;
  };
}

async function holdsFor(process: Process, ms: number): Promise<boolean> {
  const lease = await process.locks.acquire('job');
  const end = performance.now() + ms;
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(end), { timeout: ms + 1_000, interval: 20 });
  const { held } = lease;
  await lease.release();
  return held;
}

test.each([
  ['from', 'to'],
  ['to', 'from'],
] as const)('a process in %s that loses the store "%s" serves on', async (phase, other) => {
  const process = fleet()(phase);
  await process.locks.withLock('first', () => {});
  process[other].down = true;
  expect(await holdsFor(process, 1_500)).toBe(true);
});

test('a lease of both is shed in an end: it outlasts the other store', async () => {
  const process = fleet()('both');
  const lease = await process.locks.acquire('job');
  process.phase = 'to';
  await vi.waitFor(async () => {
    const { members } = await process.locks.inspect('job');
    expect(members?.filter(({ holders }) => holders)).toHaveLength(1);
  }, 5_000);
  // At the next renewal.
  await lease.renew();
  process.from.down = true;
  await vi.waitFor(async () => await lease.renew(), 2_000);
  const end = performance.now() + 1_500;
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(end), { timeout: 3_000, interval: 20 });
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
});

test('a process in both that loses a store is unavailable, and no obstacle to others', async () => {
  const start = fleet();
  const process = start('both');
  await process.locks.withLock('first', () => {});
  process.from.down = true;
  await expect(process.locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  const other = start('to');
  // What begins before it acts under the end takes both stores.
  await vi.waitFor(async () => {
    await other.locks.withLock('job', async () => {
      expect((await other.locks.inspect('job')).members?.filter(({ holders }) => holders)).toHaveLength(1);
    });
  }, 5_000);
});

test('one that starts without the other store serves with "to!" only, and says so', async () => {
  const start = fleet();
  const stuck = start('to', { down: ['from'] });
  await vi.waitFor(async () => {
    const error: unknown = await stuck.locks.tryAcquire('job').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(((error as LockError).cause as LockError).message).toContain('make the phase "to!"');
  }, 5_000);
  const free = start('to!', { down: ['from'] });
  await vi.waitFor(async () => expect(await holdsFor(free, 100)).toBe(true), 5_000);
});

test('a process in from that loses its own store loses its leases with it, and returns', async () => {
  const process = fleet()('from');
  const lease = await process.locks.acquire('job');
  process.from.down = true;
  await vi.waitFor(() => expect(lease.held).toBe(false), 3_000);
  process.from.down = false;
  await vi.waitFor(async () => {
    await process.locks.withLock('job', { wait: 100 }, async () => {
      expect((await process.locks.inspect('job')).members?.filter(({ holders }) => holders)).toHaveLength(1);
    });
  }, 5_000);
});

test('a release by another process is one, under an end and in both', async () => {
  const start = fleet();
  for (const phase of ['from', 'both', 'to'] as const) {
    const [one, other] = [start(phase), start(phase)];
    await one.locks.withLock('first', () => {});
    await other.locks.withLock('first', () => {});
    const lease = await one.locks.acquire('job');
    const [holder] = (await other.locks.inspect('job')).holders;
    expect(holder?.owner).toBe(lease.owner);
    expect(await other.locks.forceRelease(holder ?? lease)).toBe(true);
    expect(await other.locks.forceRelease(holder ?? lease)).toBe(false);
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await Promise.all([one.locks.close(), other.locks.close()]);
  }
});

test('keys of migrations are refused, and not listed', async () => {
  const { locks } = fleet()('both');
  await expect(locks.acquire('migration/n/processes')).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  await locks.withLock('job', async () => {
    const keys: string[] = [];
    for await (const key of locks.list()) keys.push(key);
    expect(keys).toEqual(['job']);
  });
});
