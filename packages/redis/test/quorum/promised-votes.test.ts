import { combine } from '@locks/composites';
import type { Claim, LockProvider } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider, initialise } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import { eventually, ownPrefix } from '../support/redis.ts';

const ttl = 6_000;

const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
const observers = servers.map(({ url }) => new Redis(url).on('error', () => {}));
afterAll(async () => {
  observers.forEach((observer) => observer.disconnect());
  await Promise.all(servers.map((server) => server.stop()));
});

const options: RedisOptions = { prefix: ownPrefix(), restartGuard: ttl };
for (const observer of observers) await initialise(observer, { prefix: options.prefix ?? '' });

interface Process {
  readonly provider: LockProvider;
  readonly clients: readonly Redis[];
}

/** A composite as each process makes it. `addresses`: those of its members. */
function open(addresses: readonly string[] = servers.map(({ url }) => url), changes: RedisOptions = {}): Process {
  const clients = addresses.map((url) => new Redis(url).on('error', () => {}));
  const provider = combine(
    clients.map((client) => createRedisProvider(client, { ...options, ...changes })),
    { memberTimeout: 300 },
  );
  onTestFinished(async () => {
    await provider.close();
    for (const client of clients) client.disconnect();
  });
  return { provider, clients };
}

test('close leaves nothing of an attempt at a member that stands still', async () => {
  const { provider, clients } = open(undefined, { restartGuard: undefined });
  const claim = (key: string): Claim => ({ ...claimOf({ ttl: 60_000 }), key });
  // A server that does not know the script of a release is told it only after its answer.
  const first = claim('first');
  const isLeft = async (key: string): Promise<boolean> => (await observers[2]?.exists(`${options.prefix}${key}`)) === 1;
  await provider.tryAcquire(first);
  await eventually('the first vote', () => isLeft('first'));
  await provider.release(first);
  await eventually('the first release', async () => !(await isLeft('first')));
  await servers[2]?.pause();
  onTestFinished(() => servers[2]?.resume());
  const last = claim('last');
  expect(await provider.tryAcquire(last)).toMatchObject({ granted: true });
  expect(await provider.release(last)).toBe(true);
  await provider.close();
  for (const client of clients) client.disconnect();
  await servers[2]?.resume();
  // By the second answer it has done all that came while it stood still.
  await observers[2]?.ping();
  await observers[2]?.ping();
  expect(await isLeft('last')).toBe(false);
});
