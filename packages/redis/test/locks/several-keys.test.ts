import type { Locks, LocksOptions } from '@locks/core';
import { describe, expect, inject, test } from 'vitest';
import { clients, closeAfterTest, ownPrefix, withCopies } from '../support/redis.ts';
import { locksOver } from '../support/over.ts';

interface Counted {
  readonly locks: Locks;
  /** How many scripts were sent since it was asked before. */
  readonly scripts: () => number;
}

async function counted(client: ReturnType<(typeof clients)[number][1]>, own?: LocksOptions): Promise<Counted> {
  closeAfterTest(client);
  await client.ping();
  let commands = 0;
  const counting = withCopies(client, (options) => client.duplicate(options));
  counting.evalsha = (...args) => {
    commands += 1;
    return client.evalsha(...args);
  };
  const locks = locksOver(counting, { prefix: ownPrefix() }, own);
  const scripts = (): number => {
    const sent = commands;
    commands = 0;
    return sent;
  };
  return { locks, scripts };
}

describe.each(clients)('several keys, %s', (_name, create) => {
  const many = Array.from({ length: 32 }, (_, index) => `key ${index}`);

  test('take one script where they are free, and one for their release', async () => {
    const { locks, scripts } = await counted(create(inject('redisUrl')));
    await (await locks.multiLock(many).acquire()).release();
    scripts();
    const lease = await locks.multiLock(many).acquire();
    expect(lease.tokens.size).toBe(32);
    expect(scripts()).toBe(1);
    expect(await lease.release()).toBe(true);
    expect(scripts()).toBe(1);
  });

  test('take three scripts where one is not free: all, that one, and the release of the others', async () => {
    const { locks, scripts } = await counted(create(inject('redisUrl')));
    await (await locks.multiLock(many).acquire()).release();
    const held = await locks.acquire('key 7');
    expect(await locks.multiLock(many).tryAcquire()).toBeNull();
    scripts();
    expect(await locks.multiLock(many).tryAcquire()).toBeNull();
    expect(scripts()).toBe(3);
    await held.release();
    expect(await locks.multiLock(many).tryAcquire()).not.toBeNull();
  });

  test('of which 100 are held are renewed by a few scripts', async () => {
    const ttl = 3_000;
    const { locks, scripts } = await counted(create(inject('redisUrl')), { ttl });
    const leases = await Promise.all(Array.from({ length: 100 }, (_, index) => locks.acquire(`key ${index}`)));
    scripts();
    const renewed = (): boolean => leases.every(({ remaining }) => remaining > ttl * 0.7);
    await expect.poll(renewed, { timeout: ttl }).toBe(true);
    await expect.poll(() => leases.some(({ remaining }) => remaining < ttl * 0.7), { timeout: ttl }).toBe(true);
    await expect.poll(renewed, { timeout: ttl }).toBe(true);
    // In one group, or in two where they were taken on both sides of a border between groups.
    const sent = scripts();
    expect(sent).toBeGreaterThanOrEqual(4);
    expect(sent).toBeLessThanOrEqual(8);
  });
});
