import { createLocks } from '@locks/core';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../../src/index.ts';
import { clients, closeAfterTest, ownPrefix, withCopies } from '../../support/redis.ts';

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
