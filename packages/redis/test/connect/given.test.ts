import { openLocks } from '@locks/core';
import { startProxy, startRedis } from '@locks/test-servers';
import { createClient } from 'redis';
import { expect, inject, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { createRedisProvider } from '../../src/index.ts';
import type { GivenClient } from '../../src/index.ts';
import { nodeRedis } from '../support/node-redis.ts';
import { clients, closeAfterTest, connect, ownPrefix } from '../support/redis.ts';
import { locksOver, providerOver, stopAfterTest } from '../support/over.ts';
import { misconfigured, unavailable } from '../../../core/test/support/lock-error.ts';

/** What an attempt over `client` comes to. */
async function attempt(client: GivenClient): Promise<unknown> {
  const provider = providerOver(client, { prefix: ownPrefix() });
  const claim = { key: 'job', owner: 'a/1', ttl: 1_000, mode: 'exclusive' } as const;
  return await provider.tryAcquire(claim).catch((error: unknown) => error);
}

test.each([
  ...clients.map(([name, open]) => [name, async () => closeAfterTest(open(inject('redisUrl')))] as const),
  ['node-redis', () => nodeRedis({ RESP: 3 })] as const,
])('a Proxy of a client of %s is one, and so is an object that inherits from it', async (_name, open) => {
  const client: GivenClient = await open();
  for (const wrapped of [new Proxy(client, {}), Object.create(client) as GivenClient]) {
    const locks = locksOver(wrapped, { prefix: ownPrefix() });
    const lease = await locks.acquire('job');
    const next = locks.acquire('job');
    expect(await lease.release()).toBe(true);
    await (await next).release();
  }
});

test.each([
  ['a transaction of ioredis', () => connect().multi(), /not a transaction \(multi\(\)\)/],
  ['a pipeline of ioredis', () => connect().pipeline(), /or a pipeline of one/],
  ['a transaction of node-redis', () => createClient().multi(), /not a transaction \(multi\(\)\)/],
  ['a promise', () => Promise.resolve(connect()), /not a promise of one: await it first/],
  // Those of redis 3 and of ioredis-mock have these methods, and answer otherwise.
  ['a look-alike', () => ({ evalsha: () => true, duplicate: () => {} }), /not an object of class Object/],
  ['a URL', () => 'redis://localhost', /needs a client of ioredis or iovalkey.* not a string/],
  ['undefined', () => undefined, /needs a client of ioredis or iovalkey/],
  ['null', () => null, /needs a client of ioredis or iovalkey/],
  ['a function', () => () => {}, /needs a client of ioredis or iovalkey/],
  ['a URL object', () => new URL('redis://localhost'), /not an object of class URL/],
])('%s is refused by name', (_name, make, message) => {
  expect(() => createRedisProvider(make() as never)).toThrow(expect.objectContaining(misconfigured(message)) as Error);
});

test('a client in subscriber mode is refused by name', async () => {
  // With RESP3, the default of ioredis 6, a connection can do both.
  const subscriber = closeAfterTest(clients[1][1](inject('redisUrl')));
  await subscriber.subscribe(ownPrefix());
  const other = await nodeRedis({ RESP: 2 });
  await other.subscribe(ownPrefix(), () => {});
  for (const client of [subscriber, other]) {
    expect(await attempt(client)).toMatchObject(misconfigured(/subscriber mode at an attempt on "job"/));
  }
});

test('a client in monitor mode is refused by name', async () => {
  // On a server of its own, as it hears the commands of all.
  const server = await stopAfterTest(startRedis());
  const monitor = await connect({}, server.url).monitor();
  closeAfterTest(monitor);
  const other = await nodeRedis({ url: server.url, RESP: 3 });
  await other.monitor(() => {});
  for (const client of [monitor, other]) {
    expect(await attempt(client)).toMatchObject(misconfigured(/monitor mode at an attempt on "job"/));
  }
});

test.each([
  ['makes something else of replies', () => Promise.resolve({ ok: 1 }), /answered an inspection with something/],
  ['fails in its own code', () => Promise.reject(new TypeError('x is not a function')), /failed at an inspection on/],
])('a client that %s is refused at the first call', async (_name, evalsha, message) => {
  const client = new Proxy(connect(), {
    get: (target, name) => (name === 'evalsha' ? evalsha : (Reflect.get(target, name) as unknown)),
  });
  const locks = locksOver(client, { prefix: ownPrefix() });
  await expect(locks.inspect('job')).rejects.toMatchObject(misconfigured(message));
  await expect(locks.acquire('job', { wait: 60_000 })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test('with a client in a transaction it is unknown what EXEC will do', async () => {
  const client = connect();
  void client.multi({ pipeline: false });
  expect(await attempt(client)).toMatchObject(unavailable(/queued an attempt: the client is in a transaction/));
});

test.each(libraries)('a server that is too old is refused by its version when %s opens its URL', async (library) => {
  const url = new URL(inject('redisUrl'));
  const older = (piece: Buffer): Buffer =>
    Buffer.from(piece.toString('latin1').replace(/redis_version:\d\.\d\.\d/, 'redis_version:6.0.9'), 'latin1');
  const proxy = await stopAfterTest(
    startProxy(
      { host: url.hostname, port: Number(url.port) },
      { rewrite: (piece, way) => (way === 'replies' ? older(piece) : piece) },
    ),
  );
  await expect(openLocks({ url: proxy.url(url.href), options: { library } })).rejects.toMatchObject(
    misconfigured(/the server is Redis 6\.0\.9\S*, and it must be 6\.2 or newer/),
  );
});
