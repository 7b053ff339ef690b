import { createLocks } from '@locks/core';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { createClient as createClient5 } from 'redis-5';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRedisGuard, createRedisProvider, initialise } from '../../src/index.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';

async function nodeRedis(): Promise<ReturnType<typeof createClient>> {
  const client = createClient({ url: inject('redisUrl') });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => {
    if (client.isOpen) client.destroy();
  });
  return client as ReturnType<typeof createClient>;
}

test('a client of node-redis is used as it is: two processes exclude each other, and wake each other', async () => {
  const prefix = ownPrefix();
  const client = await nodeRedis();
  const before = client.eventNames().map((name) => [name, client.listenerCount(name)]);
  const provider = createRedisProvider(client, { prefix });
  const other = createRedisProvider(connect(), { prefix });
  const [mine, theirs] = [createLocks(provider), createLocks(other)];
  const lease = await mine.acquire('job');
  expect(await theirs.tryAcquire('job')).toBeNull();
  const waiting = theirs.acquire('job');
  await eventually('a waiter', async () => (await mine.inspect('job')).waiters === 1);
  expect(await lease.release()).toBe(true);
  const next = await waiting;
  const again = mine.acquire('job');
  await eventually('a waiter', async () => (await theirs.inspect('job')).waiters === 1);
  const started = performance.now();
  await next.release();
  await (await again).release();
  // Polling would take a third of waiterTtl, 2 s.
  expect(performance.now() - started).toBeLessThan(1_000);
  const keys: string[] = [];
  for await (const key of mine.list()) keys.push(key);
  expect(keys).toEqual([]);
  await Promise.all([mine.close(), theirs.close()]);
  await Promise.all([provider.close(), other.close()]);
  expect(client.isReady).toBe(true);
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
  const never = createLocks(createRedisProvider(createClient()));
  await expect(never.tryAcquire('job')).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining('await client.connect() first') as string,
  });
  await never.close();
  const client = await nodeRedis();
  const ended = createLocks(createRedisProvider(client));
  client.destroy();
  await expect(ended.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await ended.close();
});

test.each([
  ['node-redis 5', () => createClient5(), /node-redis 6\.1 or newer/],
  ['a pool', () => createClientPool(), /no pool of node-redis/],
  ['a Cluster', () => createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }), /no Cluster of node-redis/],
  [
    'a Sentinel',
    () => createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] }),
    /no Sentinel of node-redis/,
  ],
])('%s is refused by name', (_name, make, message) => {
  const refused = expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(message) });
  expect(() => createRedisProvider(make() as never)).toThrow(refused as Error);
});
