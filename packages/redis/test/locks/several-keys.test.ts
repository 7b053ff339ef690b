import { createLocks } from '@locks/core';
import type { Claim } from '@locks/core';
import { Cluster } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { claimOf, lineUp, providerOf } from '../support/line.ts';
import { clients, closeAfterTest, connect, ownPrefix, withCopies } from '../support/redis.ts';

const keys = ['a', 'b', 'c'];
const claims = (changes: Partial<Claim> = {}): Claim[] => keys.map((key) => claimOf({ key, ...changes }));

describe.each(clients)('several keys in one step, %s', (_name, create) => {
  test('take one round trip, and one for their release', async () => {
    const client = create(inject('redisUrl'));
    closeAfterTest(client);
    await client.ping();
    let commands = 0;
    const counted = withCopies(client, (options) => client.duplicate(options));
    counted.evalsha = (...args) => {
      commands += 1;
      return client.evalsha(...args);
    };
    const locks = createLocks(createRedisProvider(counted, { prefix: ownPrefix() }));
    onTestFinished(() => locks.close());
    const many = Array.from({ length: 32 }, (_, index) => `key ${index}`);
    await (await locks.multiLock(many).acquire()).release();
    commands = 0;
    const lease = await locks.multiLock(many).acquire();
    expect(lease.tokens.size).toBe(32);
    expect(commands).toBe(1);
    expect(await lease.release()).toBe(true);
    expect(commands).toBe(2);
  });

  test('are taken under a prefix of the client', async () => {
    const keyPrefix = ownPrefix();
    const client = create(inject('redisUrl'), { keyPrefix });
    closeAfterTest(client);
    const provider = createRedisProvider(client);
    onTestFinished(() => provider.close());
    const [first, ...others] = claims();
    expect(await provider.tryAcquireAll?.([first!, ...others])).toHaveLength(3);
    expect(await connect().get(`${keyPrefix}locks:a`)).toBe(first!.owner);
  });
});

test.each([
  ['a foreign value of another type at a key', 'b', 'rpush'],
  ['a counter that is none', '{PREFIXc}:token', 'rpush'],
] as const)('none is taken beside %s', async (_what, name, command) => {
  const prefix = ownPrefix();
  const client = connect();
  const provider = providerOf(prefix);
  const broken = name.startsWith('{') ? name.replace('PREFIX', prefix) : prefix + name;
  await client[command](broken, 'x');
  expect(await provider.tryAcquireAll?.(claims())).toBe(false);
  const left = (await client.keys(`*${prefix}*`)).filter((key) => key !== broken && !key.endsWith(':token'));
  expect(left).toEqual([]);
});

test('a hold that was there before stays where another key cannot be taken', async () => {
  const prefix = ownPrefix();
  const client = connect();
  const provider = providerOf(prefix);
  const wanted = claims();
  const held = await provider.tryAcquire(wanted[0]!);
  await client.rpush(`{${prefix}c}:token`, 'x');
  expect(await provider.tryAcquireAll?.(wanted)).toBe(false);
  expect(await provider.tryAcquire(wanted[0]!)).toEqual(held);
  expect(await client.exists(`${prefix}b`)).toBe(0);
});

test('tokens at the end of numbers are exact, and where there is no next one no key is taken', async () => {
  const prefix = ownPrefix();
  const provider = providerOf(prefix);
  const high = 2n ** 53n - 3n;
  const grants = await provider.tryAcquireAll?.(claims({ floor: high }));
  expect(grants).toEqual(keys.map(() => ({ granted: true, token: high + 1n })));
  const last = providerOf(ownPrefix());
  const full = claimOf({ key: 'c' });
  await last.tryAcquire(full);
  await last.renew(full, 2n ** 53n - 1n);
  await last.release(full);
  await last.tryAcquire(full);
  await last.release(full);
  expect(await last.tryAcquireAll?.(claims())).toBe(false);
  expect((await last.inspect('a')).holders).toEqual([]);
});

test('a process with a waiter of its own asks for no other way', async () => {
  const provider = providerOf(ownPrefix());
  const holder = claimOf({ key: 'b' });
  await provider.tryAcquire(holder);
  await lineUp(provider, claimOf({ key: 'b' }));
  expect(await provider.tryAcquireAll?.(claims())).toBe(false);
});

test('keys of a Cluster, and those of a guarded server, are taken one after another', async () => {
  const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
  closeAfterTest(cluster);
  for (const provider of [createRedisProvider(cluster), createRedisProvider(connect(), { restartGuard: 1_000 })]) {
    onTestFinished(() => provider.close());
    expect(provider.tryAcquireAll).toBeUndefined();
  }
});
