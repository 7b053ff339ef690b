import { openLocks } from '@locks/core';
import { Cluster } from 'ioredis';
import { describe, expect, inject, test } from 'vitest';
import { createRedisProvider, initialise } from '../../src/index.ts';
import type { RedisClient } from '../../src/index.ts';
import { claimOf, modes } from '../support/queue.ts';
import { closeAfterTest, clusterOfOne, collect, connect, eventually, ownPrefix } from '../support/redis.ts';
import { locksOver, opened } from '../support/over.ts';

import { grantedAfterwards, guard, guarded, ownServer, providerOn, refused, since } from '../support/restart-guard.ts';
import { lockError, misconfigured } from '../../../core/test/support/lock-error.ts';

describe('the marker', () => {
  test('is no key of a lock, and the only key that the option adds', async () => {
    const client = connect({ keyPrefix: 'app:' });
    const plain = connect();
    const prefix = ownPrefix();
    await initialise(client, { prefix });
    const provider = providerOn(client, { prefix });
    const claim = guarded();
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    expect(await collect(provider.list?.('') ?? [])).toEqual(['job']);
    await provider.release(claim);
    const marker = `app:{app:${prefix}}:server`;
    const names = await plain.keys(`*${prefix}*`);
    expect(names.toSorted()).toEqual([marker, `app:{app:${prefix}job}:token`].toSorted());
    expect(await plain.get(marker)).toMatch(/^run_id:[0-9a-f]{40} 0$/);
  });

  test('of a later moment, as after a step of the clock, delays grants by one guard and no more', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const [id] = ((await client.get('{locks:}:server')) ?? '').split(' ');
    await client.set('{locks:}:server', `${id} ${Date.now() + 3_600_000}`);
    await grantedAfterwards(providerOn(client), guarded());
  });

  test('is written once: a second claim does not begin anew', async () => {
    const { client } = await ownServer();
    const provider = providerOn(client);
    await expect(provider.tryAcquire(guarded())).rejects.toMatchObject(refused);
    const start = await since(client);
    await expect(providerOn(client).tryAcquire(guarded('shared'))).rejects.toMatchObject(refused);
    expect(await since(client)).toBe(start);
  });
});

describe('initialise', () => {
  test('lets a new server grant at once, and counts until it comes back', async () => {
    const { server, client } = await ownServer();
    const provider = providerOn(client);
    await expect(provider.tryAcquire(guarded())).rejects.toMatchObject(refused);
    await initialise(client);
    expect(await provider.tryAcquire(guarded())).toMatchObject({ granted: true });
    await server.restart({ keepData: false });
    await expect(providerOn(connect({}, server.url)).tryAcquire(guarded())).rejects.toMatchObject(refused);
  });

  test('refuses what is wrong', async () => {
    const { client, server } = await ownServer();
    await expect(initialise({} as RedisClient)).rejects.toMatchObject(misconfigured('needs a client of ioredis'));
    await expect(initialise(client, { prefix: 'a b' })).rejects.toMatchObject(misconfigured('option "prefix"'));
    const unknown: object = { restartGuard: 1_000 };
    await expect(initialise(client, unknown)).rejects.toMatchObject(misconfigured('unknown option "restartGuard"'));
    await client.replicaof('127.0.0.1', 1);
    await expect(initialise(client)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await server.stop();
    await expect(initialise(client, { timeout: 200 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
});

describe('option restartGuard', () => {
  test('refuses a claim with a longer ttl, and names both', async () => {
    const client = connect();
    const prefix = ownPrefix();
    await initialise(client, { prefix });
    const provider = providerOn(client, { prefix, restartGuard: '20s' });
    for (const mode of modes) {
      await expect(provider.tryAcquire(claimOf({ mode, ttl: 20_001 }))).rejects.toMatchObject({
        code: 'LOCK_INVALID',
        key: 'job',
        message: expect.stringMatching(/"job".* ttl of 20001 ms.*"restartGuard" is 20000 ms/) as string,
      });
      const claim = claimOf({ mode, ttl: 20_000 });
      expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
      expect(await provider.release(claim)).toBe(true);
    }
  });

  test('bounds leases, and not the rest of their keys', async () => {
    const client = connect();
    const prefix = ownPrefix();
    await initialise(client, { prefix });
    const locks = locksOver(client, { prefix, restartGuard: '30s' });
    const own = { ttl: 30_000, wait: 0 };
    for (const [key, options] of [
      ['rest', { atLeast: '1h' }],
      ['delay', { lockDelay: '24h' }],
    ] as const) {
      const lease = await locks.acquire(key, { ...own, ...options });
      expect(lease.remaining).toBeLessThanOrEqual(30_000);
      await lease.renew();
      await lease.release();
    }
    const slot = { every: '1h', at: Date.now() % 3_600_000 } as const;
    expect(await locks.once('job', slot, { ttl: 30_000 }, () => 'ran')).toMatchObject({ held: true, value: 'ran' });
    await expect(locks.acquire('long', { ttl: 30_001, lockDelay: 1 })).rejects.toMatchObject(
      lockError('LOCK_INVALID', /"long".* ttl of 30001 ms.*"restartGuard" is 30000 ms/),
    );
  });

  test('comes from a URL too', async () => {
    const prefix = ownPrefix();
    const url = `${inject('redisUrl')}?prefix=${prefix}&ttl=1s`;
    const locks = await opened(openLocks(`${url}&restartGuard=1s`));
    await expect(locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: refused });
    await eventually('a grant', async () => (await locks.tryAcquire('job').catch(() => undefined)) ?? undefined);
    await expect(openLocks(`${url}&restartGuard=soon`)).rejects.toMatchObject(
      misconfigured(/option "restartGuard".*"soon"/),
    );
  });

  test('is not for a Cluster', async () => {
    const url = await clusterOfOne();
    const { hostname: host, port } = new URL(url);
    const cluster = closeAfterTest(new Cluster([{ host, port: Number(port) }], { lazyConnect: true }));
    const ofCluster = cluster as unknown as RedisClient;
    const ofClusters = misconfigured(/Cluster/);
    expect(() => createRedisProvider(ofCluster, { restartGuard: guard })).toThrow(expect.objectContaining(ofClusters));
    await expect(initialise(ofCluster)).rejects.toMatchObject(ofClusters);
    // A client of one of its nodes: the marker and the key are in two slots.
    await expect(providerOn(connect({}, url)).tryAcquire(guarded())).rejects.toMatchObject(ofClusters);
  });
});
