import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { inQueue } from './support/queue.ts';
import { connect, eventually, untilAnswered } from './support/redis.ts';
import { locksOver, opened, stopAfterTest } from './support/over.ts';

async function server(...args: readonly string[]): Promise<ServerHandle> {
  return await stopAfterTest(startRedis(args.length === 0 ? {} : { args }));
}

test('those whose places lapsed while the server stood still are in the queue again as soon as it goes on, not one after the other', async () => {
  const { url, pause, resume } = await server();
  const locks = locksOver(connect({}, url), { waiterTtl: 3_000, timeout: 20_000 }, { ttl: 2_000 });
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

test('a client from configuration is back as soon as the server has loaded, however long that was to take', async () => {
  // Loads for half a minute, and answers in between.
  const loading = ['--key-load-delay', '30000', '--loading-process-events-interval-bytes', '1024'];
  const handle = await server(...loading);
  const locks = await opened(openLocks(handle.url));
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
  await untilAnswered('an answer', () => locks.inspect('job'));
  // With its defaults the client would sleep ten seconds, of which three are over at most.
  expect(performance.now() - start).toBeLessThan(3_000);
});
