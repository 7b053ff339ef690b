import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { redisCommand, startRedisSentinel } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { createSentinel } from 'redis';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import { closeAfterTest, eventually, ownPrefix, untilAnswered } from '../support/redis.ts';
import { locksOver, opened } from '../support/over.ts';

const set = await startRedisSentinel();
afterAll(() => set.stop());
beforeEach(() => set.settled());

/** A client of the caller that asks the Sentinels for the master. */
function sentinelClient(options: object = {}, major: 5 | 6 = 6): Redis {
  const own = {
    sentinels: set.sentinels.map(({ host, port }) => ({ host, port })),
    name: set.name,
    ...options,
  };
  const client = major === 6 ? new Redis(own) : (new Redis5(own) as unknown as Redis);
  closeAfterTest(client);
  return client;
}

type Open = (options: RedisOptions) => Promise<Locks>;

const ways: readonly (readonly [name: string, open: Open])[] = [
  ['ioredis 6', async (options) => locksOver(sentinelClient(), options)],
  ['ioredis 5', async (options) => locksOver(sentinelClient({}, 5), options)],
  [
    'node-redis',
    async (options) => {
      const sentinelRootNodes = set.sentinels.map(({ host, port }) => ({ host, port }));
      const client = createSentinel({ name: set.name, sentinelRootNodes });
      client.on('error', () => {});
      await client.connect();
      onTestFinished(() => client.destroy());
      return locksOver(client, options);
    },
  ],
  ['a URL', async (options) => await opened(openLocks({ url: set.url, options: { ...options } }))],
  [
    'an object',
    async (options) => {
      const sentinels = set.sentinels.map(({ host, port }) => `${host}:${port}`);
      return await opened(openLocks({ provider: 'redis', options: { sentinels, sentinelName: set.name, ...options } }));
    },
  ],
];

describe.each(ways)('Sentinels, through %s', (_name, open) => {
  test('the locks are on the master, and follow it in a failover', async () => {
    const prefix = ownPrefix();
    const locks = await open({ prefix, timeout: 1_000 });
    const lease = await locks.acquire('job');
    const old = await set.master();
    expect(await redisCommand(old, 'GET', `${prefix}job`)).toBe(lease.owner);
    // Replicas get a copy a moment later. A failover before that loses the lock.
    await eventually('a copy at each replica', async () => {
      const copies = await Promise.all(set.servers.map((server) => redisCommand(server, 'GET', `${prefix}job`)));
      return copies.every((owner) => owner === lease.owner);
    });
    const next = await set.failOver();
    await untilAnswered('a lock', () => locks.withLock('again', () => {}), 20_000);
    // The replica had a copy: the lease goes on, and excludes others.
    expect(await redisCommand(next, 'GET', `${prefix}job`)).toBe(lease.owner);
    expect(lease.held).toBe(true);
    await untilAnswered('a renewal', () => lease.renew());
    expect(await locks.tryAcquire('job')).toBeNull();
    await lease.release();
  });
});

test('a master that was followed while it stood still grants too, at first: both claims hold, with tokens of their own', async () => {
  const prefix = ownPrefix();
  const old = await set.master();
  const stale = closeAfterTest(new Redis(old.url));
  const before = createRedisProvider(stale, { prefix });
  expect(await before.inspect('job')).toMatchObject({ holders: [] });
  await old.pause();
  const next = await set.masterAfter(old);
  const fresh = closeAfterTest(new Redis(next.url));
  const after = createRedisProvider(fresh, { prefix });
  const grant = await after.tryAcquire(claimOf());
  await old.resume();
  const second = await before.tryAcquire(claimOf());
  if (!grant.granted || !second.granted) throw new Error('One of them was refused.');
  expect(second.token).not.toBe(grant.token);
  // Soon a Sentinel makes it a replica, and it refuses every call.
  await eventually('the end of it', () =>
    before.inspect('job').then(
      () => false,
      () => true,
    ),
  );
  await set.settled();
});
