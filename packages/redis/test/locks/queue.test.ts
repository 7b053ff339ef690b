import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Claim, Locks } from '@locks/core';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { claimOf, inQueue, enqueue, locksOf, modes, providerOf } from '../support/queue.ts';
import { eventually, ownPrefix } from '../support/redis.ts';

describe('a process that held a key and also waited for it is killed', () => {
  /** Resolves when its hold has expired. */
  async function killed(prefix: string, mode: Claim['mode'], locks: Locks): Promise<void> {
    const module = new URL('../support/holder-that-waits.mjs', import.meta.url);
    const child = fork(module, [inject('redisUrl'), prefix, mode, '1000'], { execArgv: [] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually('the end of its hold', async () => (await locks.inspect('job')).holders.length === 0);
  }

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

describe('the new head of the queue looks when a dead holder expires', () => {
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
    await inQueue(first, 1);
    const next = second.acquire('job', { wait: 15_000 });
    await inQueue(first, 2);
    await provider.renew(dead);
    giving.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    await inQueue(first, 1);
    expect((await first.inspect('job')).holders).toMatchObject([{ owner: dead.owner }]);
    await (await next).release();
  });

  test.each(modes)('after the one before it was granted, %s', async (mode) => {
    const prefix = ownPrefix();
    const [provider, second] = [providerOf(prefix), locksOf(prefix, { waiterTtl })];
    const [holder, dead] = [claimOf(), claimOf({ mode, ttl: 1_000 })];
    await provider.tryAcquire(holder);
    await enqueue(provider, dead);
    const next = second.acquire('job', { wait: 15_000 });
    await inQueue(second, 2);
    await provider.release(holder);
    expect(await provider.tryAcquire(dead)).toMatchObject({ granted: true });
    await (await next).release();
  });
});

test('claims of one tick keep their order where the first travels with those of other keys', async () => {
  const prefix = ownPrefix();
  const [other, provider] = [providerOf(prefix), providerOf(prefix)];
  await other.tryAcquire(claimOf());
  await other.tryAcquire(claimOf({ key: 'other' }));
  // The server knows the scripts, and the wake channel is open.
  await other.tryAcquire(claimOf({ key: 'shared', mode: 'shared' }));
  await enqueue(provider, claimOf({ key: 'other' }));
  const claims = [claimOf({ key: 'free' }), claimOf(), claimOf({ mode: 'shared', permits: 1 }), claimOf({ ttl: 700 })];
  await Promise.all(claims.map((claim) => provider.tryAcquire(claim, () => {})));
  const { queue } = await other.inspect('job');
  expect(queue?.map(({ owner }) => owner)).toEqual(claims.slice(1).map(({ owner }) => owner));
});
