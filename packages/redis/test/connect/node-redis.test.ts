import { setTimeout as pause } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { startProxy } from '@locks/test-servers';
import { RESP_TYPES, createClient, createClientPool } from 'redis';
import type { RedisClientPoolType } from 'redis';
import * as five from 'redis-5';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRedisGuard, createRedisProvider, initialise } from '../../src/index.ts';
import { nodeRedis } from '../support/node-redis.ts';
import { collect, connect, eventually, ownPrefix } from '../support/redis.ts';
import { locksOver, stopAfterTest } from '../support/over.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

async function nodeRedisPool(maximum = 2, url = inject('redisUrl')): Promise<RedisClientPoolType> {
  const pool = createClientPool({ url }, { minimum: 1, maximum });
  pool.on('error', () => {});
  await pool.connect();
  onTestFinished(() => pool.destroy());
  return pool;
}

test.each([
  ['client', () => nodeRedis()],
  ['pool', () => nodeRedisPool()],
] as const)('a %s of node-redis is used as it is, and stays so', async (_kind, open) => {
  const client = await open();
  const before = client.eventNames().map((name) => [name, client.listenerCount(name)]);
  const provider = createRedisProvider(client, { prefix: ownPrefix() });
  const locks = createLocks(provider);
  // One of them waits, over a copy of the client.
  await Promise.all([1, 2].map(() => locks.withLock('job', () => {})));
  await locks.close();
  await provider.close();
  expect(client.isOpen).toBe(true);
  expect(await client.sendCommand(['PING'])).toBe('PONG');
  expect(client.eventNames().map((name) => [name, client.listenerCount(name)])).toEqual(before);
});

test('a guard and initialise() take one, too', async () => {
  const client = await nodeRedis();
  const key = ownPrefix();
  const guard = createRedisGuard(client);
  await guard.write(key, 'one', { mode: 'exclusive', token: 2n });
  await expect(guard.write(key, 'two', { mode: 'exclusive', token: 1n })).rejects.toMatchObject({ code: 'LOCK_STALE' });
  expect(await client.get(key)).toBe('one');
  await client.del([key]);
  await initialise(client, { prefix: ownPrefix() });
});

test('with a client that is not connected, or has ended, calls say so', async () => {
  const never = locksOver(createClient());
  await expect(never.tryAcquire('job')).rejects.toMatchObject(misconfigured('await its connect() first'));
  await never.close();
  const client = await nodeRedis();
  const ended = locksOver(client);
  client.destroy();
  await expect(ended.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await ended.close();
  const closedBefore = await nodeRedis();
  closedBefore.destroy();
  const late = locksOver(closedBefore);
  await expect(late.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
});

test('other types of replies, which the caller has chosen, change no answer', async () => {
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String, [RESP_TYPES.ARRAY]: Set };
  const plain = await nodeRedis();
  const client = plain.withTypeMapping(typeMapping as never);
  const provider = createRedisProvider(client, { prefix: ownPrefix() });
  const locks = createLocks(provider);
  const lease = await locks.acquire('job', { mode: 'shared' });
  expect((await locks.inspect('job')).holders).toMatchObject([{ owner: lease.owner, mode: 'shared' }]);
  expect(await collect(locks.list())).toEqual(['job']);
  const waiting = locks.acquire('job');
  await eventually('a waiter', async () => (await locks.inspect('job')).queue?.length === 1);
  await lease.release();
  await (await waiting).release();
  await locks.close();
  await provider.close();
  const guard = createRedisGuard(client);
  await guard.write(ownPrefix(), 'one', { mode: 'exclusive', token: 2n });
});

test('its key prefix is before every key', async () => {
  const client = await nodeRedis({ keyPrefix: 'shop:' });
  const prefix = ownPrefix();
  const locks = locksOver(client, { prefix });
  const lease = await locks.acquire('job');
  expect(await connect().get(`shop:${prefix}job`)).toBe(lease.owner);
  const waiting = locks.acquire('job');
  await eventually('a waiter', async () => (await locks.inspect('job')).waiters === 1);
  expect(await collect(locks.list())).toEqual(['job']);
  await lease.release();
  await (await waiting).release();
});

test('of a pool with other work locks take one client, and give it back', async () => {
  const pool = await nodeRedisPool();
  const locks = locksOver(pool, { prefix: ownPrefix() });
  const block = pool.execute(async (client) => await client.blPop(ownPrefix(), 1));
  const leases = await Promise.all(Array.from({ length: 50 }, (_, index) => locks.acquire(`job-${index}`)));
  expect(pool.totalClients).toBe(2);
  await Promise.all(leases.map((lease) => lease.release()));
  await block;
  await eventually('a pool without work', () => pool.clientsInUse === 0);
});

test('of a pool of one, the commands of the application have their turn beside locks without a pause', async () => {
  const { hostname: host, port } = new URL(inject('redisUrl'));
  const proxy = await stopAfterTest(startProxy({ host, port: Number(port || 6379) }));
  const pool = await nodeRedisPool(1, proxy.url(inject('redisUrl')));
  const locks = locksOver(pool, { prefix: ownPrefix() });
  await locks.inspect('job');
  proxy.delay(10);
  let over = false;
  const look = async (): Promise<void> => {
    while (!over) {
      await locks.inspect('job');
      // So that not all look in one tick.
      await pause(Math.random() * 40);
    }
  };
  const looks = Promise.all(Array.from({ length: 100 }, look));
  // The pool rejects what has waited for 3 s.
  for (let count = 0; count < 10; count += 1) expect(await pool.ping()).toBe('PONG');
  over = true;
  await looks;
});

test.each([
  ['client', () => five.createClient()],
  ['pool', () => five.createClientPool()],
  ['Cluster', () => five.createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] })],
  ['Sentinel', () => five.createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] })],
])('a %s of node-redis 5 is refused by name', (_name, make) => {
  const message = expect.stringMatching(/node-redis 6\.1 or newer/) as string;
  const refused = expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message });
  expect(() => createRedisProvider(make() as never)).toThrow(refused as Error);
});
