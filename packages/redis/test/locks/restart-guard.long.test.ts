import { combine } from '@locks/composites';
import { createLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { initialise } from '../../src/index.ts';
import { locksOver } from '../support/over.ts';
import { claimOf, enqueue, modes } from '../support/queue.ts';
import { collect, eventually } from '../support/redis.ts';
import { guarded, ownServer, providerOn, refused } from '../support/restart-guard.ts';

describe('while a server grants nothing', () => {
  /** A server that has come back with its data: a holder, a sharer, and a waiter in the queue. */
  async function cameBack(): Promise<{
    readonly client: Redis;
    readonly provider: LockProvider;
    readonly holder: Claim;
    readonly sharer: Claim;
    readonly waiter: Claim;
    readonly token: bigint;
  }> {
    const { server, client } = await ownServer('--appendonly', 'yes', '--appendfsync', 'always');
    await initialise(client);
    const options = { restartGuard: 60_000, waiterTtl: 60_000 };
    const provider = providerOn(client, options);
    const [holder, waiter] = [claimOf(), claimOf()];
    const sharer = claimOf({ key: 'shares', mode: 'shared', permits: 2 });
    const grant = await provider.tryAcquire(holder);
    await provider.tryAcquire(sharer);
    await enqueue(provider, waiter);
    await server.restart();
    await eventually('the connection', () => client.status === 'ready');
    return { client, provider, holder, sharer, waiter, token: grant.granted ? grant.token : 0n };
  }

  test('no claim hears busy, and none leaves anything or takes a place', async () => {
    const { client, provider, waiter } = await cameBack();
    for (const mode of modes) {
      for (const key of ['free', 'job', 'shares']) {
        const claim = claimOf({ key, mode });
        await expect(provider.tryAcquire(claim), `${mode} ${key}`).rejects.toMatchObject(refused);
        for (let attempt = 0; attempt < 3; attempt += 1) {
          await expect(provider.tryAcquire(claim, () => {})).rejects.toMatchObject(refused);
        }
      }
    }
    expect(await client.keys('*free*')).toEqual([]);
    expect((await provider.inspect('job')).waiters).toBe(1);
    await expect(provider.tryAcquire(waiter, () => {})).rejects.toMatchObject(refused);
    expect((await provider.inspect('job')).waiters).toBe(0);
  });

  test('a holder goes on: it repeats, renews, raises its token, converts and releases', async () => {
    const { provider, holder, sharer, token } = await cameBack();
    expect(await provider.tryAcquire(holder)).toEqual({ granted: true, token });
    expect(await provider.renew(holder, token + 9n)).toEqual({});
    expect(await provider.tryAcquire({ ...holder, mode: 'shared' })).toEqual({ granted: true, token: token + 9n });
    expect(await provider.tryAcquire(sharer)).toMatchObject({ granted: true });
    await expect(provider.tryAcquire({ ...sharer, mode: 'exclusive' })).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    expect(await provider.renew(sharer)).toEqual({});
    expect((await provider.inspect('shares')).holders).toMatchObject([{ owner: sharer.owner, mode: 'shared' }]);
    expect((await collect(provider.list?.('') ?? [])).toSorted()).toEqual(['job', 'shares']);
    for (const claim of [{ ...holder, mode: 'shared' as const }, sharer]) {
      expect(await provider.release(claim)).toBe(true);
      await expect(provider.tryAcquire({ ...claim, owner: 'next/1' })).rejects.toMatchObject(refused);
    }
  });

  test('acquire waits for the end of the guard within its wait, and asks rarely', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const locks = locksOver(client, { restartGuard: 3_000 }, { ttl: 500 });
    await client.del('{locks:}:server');
    await expect(locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', retryAfter: 3_000 });
    await client.config('RESETSTAT');
    const began = performance.now();
    // A ttl of nothing but rejections would end it.
    const lease = await locks.acquire('job', { wait: 30_000 });
    expect(lease.held).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(2_000);
    expect(performance.now() - began).toBeLessThan(3_500);
    expect(await client.info('commandstats')).toMatch(/cmdstat_evalsha:calls=[1-9],/);
    await expect(locks.acquire('other', { wait: 300 })).resolves.toMatchObject({ held: true });
  });

  test('a wait that ends before the guard is told so then', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const locks = locksOver(client, { restartGuard: 60_000 }, { ttl: 500 });
    await client.del('{locks:}:server');
    const began = performance.now();
    const error: unknown = await locks.acquire('job', { wait: 900 }).catch((reason: unknown) => reason);
    expect(performance.now() - began).toBeGreaterThan(850);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: refused });
    expect((error as { readonly retryAfter: number }).retryAfter).toBeGreaterThan(50_000);
  });

  test('in a quorum it waits for so many members as it needs', async () => {
    const three = await Promise.all([1, 2, 3].map(() => ownServer()));
    for (const { client } of three) await initialise(client);
    const guards = [1_000, 2_500, 60_000];
    const members = three.map(({ client }, index) => providerOn(client, { restartGuard: guards[index] }));
    const locks = createLocks(combine(members), { ttl: 500 });
    onTestFinished(() => locks.close());
    for (const { client } of three) await client.del('{locks:}:server');
    const began = performance.now();
    const error: unknown = await locks.tryAcquire('job').catch((reason: unknown) => reason);
    expect((error as { readonly retryAfter: number }).retryAfter).toBeGreaterThan(2_000);
    const lease = await locks.acquire('job', { wait: 30_000 });
    expect(lease.held).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(2_300);
    expect(performance.now() - began).toBeLessThan(3_500);
  });

  test('a share that has expired is no hold', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const provider = providerOn(client);
    const [brief, long] = [guarded('shared'), guarded('shared')];
    await provider.tryAcquire({ ...brief, ttl: 50 });
    await provider.tryAcquire(long);
    await client.del('{locks:}:server');
    await eventually('the end of the share', async () => (await provider.inspect('job')).holders.length === 1);
    await expect(provider.tryAcquire(brief)).rejects.toMatchObject(refused);
    expect(await provider.tryAcquire(long)).toMatchObject({ granted: true });
  });

  test('all waiters of a process hear it, and are granted afterwards', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const locks = locksOver(client, { waiterTtl: 600, restartGuard: 4_000 }, { ttl: 4_000 });
    const holder = await locks.acquire('job');
    // Longer than some of them tell the server for the others too that they wait.
    const waiting = Array.from({ length: 8 }, () => locks.acquire('job', { wait: 3_000 }));
    await eventually('all in the queue', async () => (await locks.inspect('job')).waiters === waiting.length);
    const told = Promise.allSettled(waiting);
    await client.flushall();
    for (const outcome of await told) {
      expect(outcome).toMatchObject({ reason: { code: 'LOCK_UNAVAILABLE', cause: refused } });
    }
    expect((await locks.inspect('job')).waiters).toBe(0);
    expect(await holder.release()).toBe(false);
    await eventually('a grant', async () => (await locks.tryAcquire('job').catch(() => undefined)) ?? undefined);
  });
});
