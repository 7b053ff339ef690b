import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks, openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../src/index.ts';
import type { RedisClient, RedisOptions } from '../src/index.ts';
import { inQueue, queueUp } from './support/queue.ts';
import { connect, eventually } from './support/redis.ts';

async function server(...args: readonly string[]): Promise<ServerHandle> {
  const handle = await startRedis(args.length === 0 ? {} : { args });
  onTestFinished(() => handle.stop());
  return handle;
}

function locksOver(client: RedisClient, options: RedisOptions = {}): Locks {
  const provider = createRedisProvider(client, options);
  const locks = createLocks(provider, { ttl: 2_000 });
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
  });
  return locks;
}

test('those whose places lapsed while the server stood still are in the queue again as soon as it goes on, not one after the other', async () => {
  const { url, pause, resume } = await server();
  const locks = locksOver(connect({}, url), { waiterTtl: 3_000, timeout: 20_000 });
  const key = 'stalled';
  const lease = await locks.acquire(key, { ttl: 60_000 });
  const served: Promise<void>[] = [];
  for (let index = 0; index < 100; index += 1) served.push(locks.withLock(key, () => {}));
  await inQueue(locks, 100, key);
  await pause();
  await sleep(3_500);
  await resume();
  // One of them asks each second and shows the others, of which the server knows nothing any more.
  await inQueue(locks, 100, key);
  await lease.release();
  await Promise.all(served);
});

test('a script cache that is flushed between all calls changes nothing', async () => {
  const { url } = await server();
  const client = connect({}, url);
  const locks = locksOver(client);
  for (let round = 0; round < 5; round += 1) {
    await client.script('FLUSH');
    const lease = await locks.acquire('job');
    await client.script('FLUSH');
    await lease.renew();
    await client.script('FLUSH');
    expect((await locks.inspect('job')).holders).toHaveLength(1);
    await client.script('FLUSH');
    expect(await lease.release()).toBe(true);
  }
});

describe('the subscriber connection', () => {
  test('is replaced when it is cut, and every waiter is served at once, in order', async () => {
    const { url } = await server();
    const client = connect({}, url);
    const locks = locksOver(client, { waiterTtl: 60_000 });
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const queue = await queueUp(locks, 5);
    await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually('a new subscription', async () => (await client.pubsub('CHANNELS')).length === 1);
    await inQueue(locks, 5, 'job');
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2, 3, 4]);
  });

  test('may be cut at the very moment of the release: waiters are told on re-subscribing, not after their poll', async () => {
    const { url } = await server();
    const client = connect({}, url);
    const locks = locksOver(client, { waiterTtl: 60_000 });
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const queue = await queueUp(locks, 3);
    const started = performance.now();
    await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await lease.release();
    await queue.all;
    // Polling would take a third of waiterTtl.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(queue.order).toHaveLength(3);
  });
});

test.each(['a client of the caller', 'a client from configuration'])(
  'a restart of Redis does not stop %s',
  async (whose) => {
    const handle = await server();
    const locks = whose.endsWith('caller')
      ? locksOver(connect({}, handle.url))
      : await openLocks(handle.url, { ttl: 2_000 });
    onTestFinished(() => locks.close());
    for (let round = 0; round < 3; round += 1) {
      await (await locks.acquire(`job-${round}`)).release();
      await handle.restart();
    }
    await (await locks.acquire('job')).release();
  },
);

test('a client from configuration is back as soon as the server has loaded, however long that was to take', async () => {
  // Loads for half a minute, and answers in between.
  const loading = ['--key-load-delay', '30000', '--loading-process-events-interval-bytes', '1024'];
  const handle = await server(...loading);
  const locks = await openLocks(handle.url);
  onTestFinished(() => locks.close());
  // One that asks while it loads.
  const observer = connect({ enableReadyCheck: false }, handle.url);
  const values = Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, randomBytes(200).toString('hex')]);
  await observer.mset(values.flat());
  await observer.save();
  const restarted = handle.restart();
  await eventually('a long way to go', async () => {
    const info = await observer.info().catch(() => '');
    const [left, up] = ['loading_eta_seconds', 'uptime_in_seconds'].map((name) => {
      return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
    });
    return left! >= 12 && up! >= 3;
  });
  await observer.config('SET', 'key-load-delay', '0');
  await restarted;
  const start = performance.now();
  await eventually('an answer', () =>
    locks.inspect('job').then(
      () => true,
      () => false,
    ),
  );
  // With its defaults the client would sleep ten seconds, of which three are over at most.
  expect(performance.now() - start).toBeLessThan(3_000);
});

test('a server that is loading, or a replica, is unavailable and not contended', async () => {
  const handle = await server();
  const client: Redis = connect({}, handle.url);
  const locks = locksOver(client);
  await client.call('REPLICAOF', '127.0.0.1', '1');
  await expect(locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  const waiting = locks.acquire('job', { wait: 10_000 });
  await client.call('REPLICAOF', 'NO', 'ONE');
  await (await waiting).release();
});
