import { AsyncLocalStorage } from 'node:async_hooks';
import { createLocks } from '@locks/core';
import type { Cluster, Redis } from 'ioredis';
import Redis4 from 'ioredis-4';
import type { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5';
import type { Cluster as ValkeyCluster, Redis as Valkey } from 'iovalkey';
import { expect, expectTypeOf, inject, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { RedisClient, RedisClusterClient } from '../../src/index.ts';
import { clients, closeAfterTest, connect, eventually, ownPrefix, withCopies } from '../support/redis.ts';
import { locksOver, providerOver } from '../support/over.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

test.each(clients)(
  'a client of %s passed in serves locks and stays as it was: no commands, listeners or options added, open after close',
  async (_name, create) => {
    const client = closeAfterTest(create(inject('redisUrl')));
    await client.ping();
    const own = (): unknown => ({
      properties: Object.getOwnPropertyNames(client).toSorted(),
      events: client.eventNames().map((name) => [name, client.listenerCount(name)]),
      options: JSON.stringify(client.options),
    });
    const before = own();
    const provider = createRedisProvider(client, { prefix: ownPrefix() });
    const locks = createLocks(provider);
    // One of them waits, over a copy of the client.
    await Promise.all([1, 2].map(() => locks.withLock('job', () => {})));
    await locks.close();
    await provider.close();
    expect(own()).toEqual(before);
    expect(await client.ping()).toBe('PONG');
  },
);

test('a provider that is closed while a claim asks for the first time opens no subscriber any more', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const holder = providerOver(client, { prefix });
  const claim = { key: 'job', owner: 'a/1', ttl: 10_000, mode: 'exclusive' } as const;
  await holder.tryAcquire(claim);
  let copies = 0;
  const counted = withCopies(client, (options) => {
    copies += 1;
    return client.duplicate(options);
  });
  const provider = createRedisProvider(counted, { prefix });
  const refused = provider.tryAcquire({ ...claim, owner: 'b/1' }, () => {}).catch((error: unknown) => error);
  await provider.close();
  expect(await refused).toMatchObject({ code: 'LOCK_CLOSED' });
  expect(copies).toBe(0);
  await holder.release(claim);
});

test('the copy of the client that listens is made outside of the asynchronous context of the first who waits', async () => {
  const flow = new AsyncLocalStorage<string>();
  const client = connect();
  const contexts: unknown[] = [];
  const watched = withCopies(client, (options) => {
    contexts.push(flow.getStore());
    const copy = client.duplicate(options);
    copy.on('ready', () => contexts.push(flow.getStore()));
    return copy;
  });
  const locks = locksOver(watched, { prefix: ownPrefix() });
  const lease = await locks.acquire('job');
  const next = flow.run('a waiter', () => locks.acquire('job'));
  await eventually('the subscription', () => contexts.length === 2);
  await lease.release();
  await (await next).release();
  expect(contexts).toEqual([undefined, undefined]);
});

test('a client of ioredis 4 is refused by name', () => {
  const client = new Redis4({ lazyConnect: true });
  const refused = misconfigured('ioredis 5 or 6, and this');
  expect(() => createRedisProvider(client as never)).toThrow(expect.objectContaining(refused) as Error);
  client.disconnect();
});

test.each([
  [{ prefix: 'a{b}' }, /option "prefix" must be at most 200 characters without spaces and braces, not "a\{b\}"/],
  [{ prefix: 5 }, /option "prefix"/],
  [{ timeout: 1 }, /option "timeout" must be an integer from 10 to 600000/],
  [{ waiterTtl: Infinity }, /option "waiterTtl"/],
  [{ prefx: 'x' }, /unknown option "prefx". Did you mean "prefix"\?/],
])('wrong options %j are named', (options, message) => {
  expect(() => createRedisProvider(connect(), options as never)).toThrow(message);
});

test('the types of ioredis 5 and 6 and of iovalkey fit', () => {
  expectTypeOf<Redis>().toExtend<RedisClient>();
  expectTypeOf<Redis5>().toExtend<RedisClient>();
  expectTypeOf<Valkey>().toExtend<RedisClient>();
  expectTypeOf<Cluster>().toExtend<RedisClusterClient>();
  expectTypeOf<Cluster5>().toExtend<RedisClusterClient>();
  expectTypeOf<ValkeyCluster>().toExtend<RedisClusterClient>();
});
