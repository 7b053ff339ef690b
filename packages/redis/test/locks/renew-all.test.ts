import { createLocks } from '@locks/core';
import { Cluster } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { claimOf, lineUp, providerOf } from '../support/line.ts';
import { clients, closeAfterTest, connect, ownPrefix, withCopies } from '../support/redis.ts';

const ttl = 3_000;

test.each(clients)('100 leases are renewed by a few commands, %s', async (_name, create) => {
  const client = create(inject('redisUrl'));
  closeAfterTest(client);
  let commands = 0;
  const counted = withCopies(client, (options) => client.duplicate(options));
  counted.evalsha = (...args) => {
    commands += 1;
    return client.evalsha(...args);
  };
  const locks = createLocks(createRedisProvider(counted, { prefix: ownPrefix() }), { ttl });
  onTestFinished(() => locks.close());
  const leases = await Promise.all(Array.from({ length: 100 }, (_, index) => locks.acquire(`key ${index}`)));
  commands = 0;
  await expect.poll(() => leases.every(({ remaining }) => remaining > ttl * 0.7), { timeout: ttl }).toBe(true);
  await expect.poll(() => leases.some(({ remaining }) => remaining < ttl * 0.7), { timeout: ttl }).toBe(true);
  await expect.poll(() => leases.every(({ remaining }) => remaining > ttl * 0.7), { timeout: ttl }).toBe(true);
  // In one group, or in two where they were taken on both sides of a border between groups.
  expect(commands).toBeGreaterThanOrEqual(4);
  expect(commands).toBeLessThanOrEqual(8);
});

test('a renewal of several leaves a key with a line, and one of another type, to their own scripts', async () => {
  const prefix = ownPrefix();
  const provider = providerOf(prefix);
  const client = connect();
  const [plain, waitedFor, replaced, lost] = ['a', 'b', 'c', 'd'].map((key) => claimOf({ key }));
  const claims = [plain!, waitedFor!, replaced!, lost!];
  for (const claim of claims) expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  await lineUp(provider, claimOf({ key: 'b' }));
  await client.del(`${prefix}c`, `${prefix}d`);
  await client.rpush(`${prefix}c`, 'x');
  expect(await provider.renewAll?.(claims)).toEqual([{}, undefined, undefined, undefined]);
  expect(await provider.renew(waitedFor!)).toEqual({});
  expect(await provider.renew(lost!)).toBe(false);
});

test('a server that has forgotten the script gets its text', async () => {
  const client = connect();
  const provider = providerOf(ownPrefix());
  const claims = ['a', 'b'].map((key) => claimOf({ key }));
  for (const claim of claims) await provider.tryAcquire(claim);
  await client.script('FLUSH');
  expect(await provider.renewAll?.(claims)).toEqual([{}, {}]);
});

test('leases in a Cluster, and with replicas to wait for, are renewed one by one', async () => {
  const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
  closeAfterTest(cluster);
  for (const provider of [createRedisProvider(cluster), createRedisProvider(connect(), { minReplicas: 1 })]) {
    onTestFinished(() => provider.close());
    expect(provider.renewAll).toBeUndefined();
  }
});
