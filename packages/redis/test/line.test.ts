import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Claim, LockProvider, Locks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../src/index.ts';
import type { RedisOptions } from '../src/index.ts';
import { connect, eventually, ownPrefix } from './support/redis.ts';

const modes = ['exclusive', 'shared'] as const;

function locksOf(prefix: string, options: RedisOptions = {}): Locks {
  const provider = createRedisProvider(connect(), { ...options, prefix });
  const locks = createLocks(provider);
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
  });
  return locks;
}

function providerOf(prefix: string, options: RedisOptions = {}): LockProvider {
  const provider = createRedisProvider(connect(), { ...options, prefix });
  onTestFinished(() => provider.close());
  return provider;
}

function claimOf(changes: Partial<Claim> = {}): Claim {
  return { key: 'job', owner: randomUUID(), mode: 'exclusive', ttl: 60_000, ...changes };
}

/** Takes a place in line for `claim`, over a wake channel that is open by then. */
async function lineUp(provider: LockProvider, claim: Claim, wake: () => void = () => {}): Promise<void> {
  const { waiters } = await provider.inspect(claim.key);
  await provider.tryAcquire(claim, wake);
  expect((await provider.inspect(claim.key)).waiters).toBe(waiters + 1);
}

async function inLine(locks: Locks, count: number): Promise<void> {
  await eventually(`${count} in line`, async () => (await locks.inspect('job')).waiters === count);
}

function companions(prefix: string): Record<'token' | 'queue' | 'deadlines' | 'permits', string> {
  const name = (part: string): string => `{${prefix}job}:${part}`;
  return { token: name('token'), queue: name('queue'), deadlines: name('deadlines'), permits: name('permits') };
}

describe('a process that held a key and also waited for it is killed', () => {
  /** Resolves when its hold has expired. */
  async function killed(prefix: string, mode: Claim['mode'], locks: Locks): Promise<void> {
    const module = new URL('support/holder-that-waits.mjs', import.meta.url);
    const child = fork(module, [inject('redisUrl'), prefix, mode, '1000'], { execArgv: [] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually('the end of its hold', async () => (await locks.inspect('job')).holders.length === 0);
  }

  test.each(modes)('the first attempt after its ttl, %s, is granted', async (mode) => {
    const prefix = ownPrefix();
    const locks = locksOf(prefix, { waiterTtl: 60_000 });
    await killed(prefix, mode, locks);
    expect(await locks.tryAcquire('job', { mode })).not.toBeNull();
  });

  test('a waiter of another process gets the key, and not at its next look only', async () => {
    const prefix = ownPrefix();
    const locks = locksOf(prefix, { waiterTtl: 60_000 });
    const other = await locks.acquire('other');
    // Its wake channel is open.
    const waiting = locks.acquire('other');
    await eventually('the wake channel', async () => (await locks.inspect('other')).waiters === 1);
    await killed(prefix, 'exclusive', locks);
    const start = performance.now();
    await locks.acquire('job', { wait: 15_000 });
    // The next look would be after 20 s.
    expect(performance.now() - start).toBeLessThan(5_000);
    await other.release();
    await (await waiting).release();
  });
});

test('the number of permits is remembered for as long as a sharer waits, whoever shows that it does', async () => {
  const prefix = ownPrefix();
  const waiterTtl = 300;
  const [locks, others] = [locksOf(prefix, { waiterTtl }), locksOf(prefix, { waiterTtl })];
  const held = await others.acquire('job');
  const waiting = [...Array.from({ length: 20 }, () => locks.withLock('job', () => {}))];
  await inLine(others, 20);
  waiting.push(locks.withLock('job', () => {}, { mode: 'shared', permits: 2 }));
  await inLine(others, 21);
  const end = performance.now() + 10 * waiterTtl;
  while (performance.now() < end) {
    const refused = { code: 'LOCK_INVALID' };
    await expect(others.tryAcquire('job', { mode: 'shared', permits: 3 })).rejects.toMatchObject(refused);
    await sleep(10);
  }
  await held.release();
  await Promise.all(waiting);
});

describe('a service with shorter settings', () => {
  test('does not shorten the line of others', async () => {
    const prefix = ownPrefix();
    const [patient, hasty] = [providerOf(prefix, { waiterTtl: 60_000 }), providerOf(prefix, { waiterTtl: 60 })];
    const [holder, first, second] = [claimOf(), claimOf(), claimOf()];
    await patient.tryAcquire(holder);
    await lineUp(patient, first);
    await lineUp(hasty, second);
    await eventually('the end of its own place', async () => (await patient.inspect('job')).waiters < 2);
    expect((await patient.inspect('job')).waiters).toBe(1);
    await patient.release(holder);
    expect(await patient.tryAcquire(claimOf())).toMatchObject({ granted: false });
    expect(await patient.tryAcquire(first)).toMatchObject({ granted: true });
  });

  test.each(modes)('does not shorten the memory of tokens: %s', async (mode) => {
    const prefix = ownPrefix();
    const client = connect();
    const patient = providerOf(prefix, { tokenRetention: 86_400_000 });
    const hasty = providerOf(prefix, { tokenRetention: 1_000 });
    const left = (): Promise<number> => client.pttl(companions(prefix).token);
    const lock = async (provider: LockProvider, raise = false): Promise<bigint> => {
      const claim = claimOf({ mode, ttl: 100 });
      const grant = await provider.tryAcquire(claim);
      if (!grant.granted) throw new Error('The key was free.');
      if (raise) expect(await provider.renew(claim, grant.token + 1_000n)).toEqual({});
      const { holders } = await provider.inspect('job');
      expect(holders).toMatchObject([{ token: raise ? grant.token + 1_000n : grant.token }]);
      await provider.release(claim);
      return grant.token;
    };
    await lock(hasty);
    expect(await left()).toBeLessThanOrEqual(1_000);
    const before = await lock(patient);
    expect(await left()).toBeGreaterThan(86_000_000);
    for (const raise of [false, true, false]) {
      expect(await lock(hasty, raise)).toBeGreaterThan(before);
      expect(await left()).toBeGreaterThan(86_000_000);
    }
  });
});

describe('the new head of the line looks when a dead holder expires', () => {
  // Without being told it would look after 20 s.
  const waiterTtl = 60_000;

  test('after the one before it has given up', async () => {
    const prefix = ownPrefix();
    const [provider, first, second] = [
      providerOf(prefix),
      locksOf(prefix, { waiterTtl }),
      locksOf(prefix, { waiterTtl }),
    ];
    const dead = claimOf({ ttl: 2_000 });
    await provider.tryAcquire(dead);
    const giving = new AbortController();
    const given = first.acquire('job', { signal: giving.signal });
    await inLine(first, 1);
    const next = second.acquire('job', { wait: 15_000 });
    await inLine(first, 2);
    await provider.renew(dead);
    giving.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    await inLine(first, 1);
    expect((await first.inspect('job')).holders).toMatchObject([{ owner: dead.owner }]);
    await (await next).release();
  });

  test.each(modes)('after the one before it was granted, %s', async (mode) => {
    const prefix = ownPrefix();
    const [provider, second] = [providerOf(prefix), locksOf(prefix, { waiterTtl })];
    const [holder, dead] = [claimOf(), claimOf({ mode, ttl: 1_000 })];
    await provider.tryAcquire(holder);
    await lineUp(provider, dead);
    const next = second.acquire('job', { wait: 15_000 });
    await inLine(second, 2);
    await provider.release(holder);
    expect(await provider.tryAcquire(dead)).toMatchObject({ granted: true });
    await (await next).release();
  });
});

describe('after the clock was stepped back, the place of a waiter that has gone', () => {
  const hour = 3_600_000;

  /** A line whose first waiter does not come any more, on a free key, and when its place is forfeit. */
  async function abandonedLine(waiterTtl: number): Promise<{
    readonly prefix: string;
    readonly ghost: Claim;
    /** In ms from now, by the server's clock. */
    left(): Promise<number>;
  }> {
    const prefix = ownPrefix();
    const client = connect();
    const provider = providerOf(prefix, { waiterTtl });
    const [holder, ghost] = [claimOf(), claimOf()];
    await provider.tryAcquire(holder);
    await lineUp(provider, ghost);
    // By a clock that stands an hour earlier, what was written before is an hour later.
    const { queue, deadlines } = companions(prefix);
    const [waiter] = (await client.zrange(deadlines, 0, 0)) as [string];
    await client.zincrby(deadlines, hour, waiter);
    for (const name of [queue, deadlines]) await client.pexpire(name, hour + waiterTtl);
    await provider.release(holder);
    return {
      prefix,
      ghost,
      async left() {
        const [seconds, micros] = (await client.time()).map(Number) as [number, number];
        return Number(await client.zscore(deadlines, waiter)) - (seconds * 1_000 + micros / 1_000);
      },
    };
  }

  test('does not block a free key longer than a place lasts', async () => {
    const { prefix } = await abandonedLine(600);
    const locks = locksOf(prefix, { waiterTtl: 600 });
    await (await locks.acquire('job', { wait: 15_000 })).release();
  });

  test('does not refuse those who do not wait for longer than a place lasts', async () => {
    const { prefix } = await abandonedLine(600);
    const locks = locksOf(prefix);
    await eventually('a lease', async () => (await locks.tryAcquire('job')) ?? undefined);
  });

  test('lasts as long as its own service says', async () => {
    const { prefix, left } = await abandonedLine(60_000);
    const locks = locksOf(prefix, { waiterTtl: 600 });
    await eventually('a place that is not too long', async () => {
      expect(await locks.tryAcquire('job')).toBeNull();
      return (await left()) <= 60_000;
    });
    expect(await left()).toBeGreaterThan(50_000);
  });
});

describe('a Redis that is full', () => {
  test.each([
    ['exclusive', {}],
    ['shared', { mode: 'shared' }],
    ['shared with permits', { mode: 'shared', permits: 2 }],
  ] as const)('keeps renewing and releases what is held, %s', async (_, options) => {
    const server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
    onTestFinished(() => server.stop());
    const client = connect({}, server.url);
    const provider = createRedisProvider(connect({}, server.url));
    onTestFinished(() => provider.close());
    const locks = createLocks(provider);
    const lease = await locks.acquire('job', { ...options, ttl: 600 });
    await client.config('SET', 'maxmemory', '1');
    await expect(locks.tryAcquire('other', { ttl: 600 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    const { owner, token, mode } = lease;
    // Also with a new token, as composites renew.
    const raised = token + 1_000n;
    expect(await provider.renew({ key: 'job', owner, mode, ttl: 600 }, raised)).toEqual({});
    const end = performance.now() + 3 * 600;
    while (performance.now() < end) {
      expect(lease.held).toBe(true);
      await sleep(20);
    }
    expect((await locks.inspect('job')).holders).toMatchObject([{ owner, token: raised }]);
    expect(await lease.release()).toBe(true);
    // What was denied left nothing.
    expect((await client.keys('*')).filter((name) => !name.endsWith(':token'))).toEqual([]);
    await locks.close();
  });
});
