import { randomBytes, randomUUID } from 'node:crypto';
import type { Locks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import type { RedisOptions } from '../../src/index.ts';
import { locksOver } from '../support/over.ts';
import { collect, connect, eventually, ownPrefix } from '../support/redis.ts';

/** Prefixes that an application may have keys below, too. */
const shared = [
  ['no prefix', () => ''],
  ['a prefix', ownPrefix],
] as const;

/** Keys of an application, with and without an expiry. */
async function applicationKeys(client: Redis, prefix: string): Promise<readonly string[]> {
  const values = {
    json: '{"user":"a/b","csrf":"s3cret"}',
    mime: 'image/png',
    hex: randomBytes(16).toString('hex'),
    uuid: randomUUID(),
    empty: '',
    long: 'x/'.repeat(500),
    'with%percent': 'a/b',
    ['k'.repeat(600)]: 'a/b',
  };
  for (const [name, value] of Object.entries(values)) {
    await client.set(prefix + name, value);
    await client.set(`${prefix}${name}-expires`, value, 'EX', 1_000);
  }
  await client.hset(`${prefix}hash`, 'a', 1);
  await client.zadd(`{${prefix}user}:queue`, 1, 'job 1-2 a/b');
  await client.rpush(`{${prefix}list}:queue`, 'x 6000-a b/c');
  await client.set(`{${prefix}mime}:token`, 'a-token-of-the-application');
  await client.hset(`{${prefix}mime-expires}:token`, 'a', 1);
  if (prefix !== '') await client.set(prefix, 'a/b');
  return [...Object.keys(values).filter(({ length }) => length < 512), 'hash', 'user', 'list'];
}

const server = await startRedis();
afterAll(() => server.stop());

async function open(prefix: string, options: RedisOptions = {}): Promise<{ client: Redis; locks: Locks }> {
  const client = connect({}, server.url);
  await client.flushall();
  return { client, locks: locksOver(client, { prefix, ...options }) };
}

describe.each(shared)('with %s, where an application has keys', (_, prefixOf) => {
  const prefix = prefixOf();

  test('only locks are listed and shown, and nothing of the application is ended', async () => {
    const { client, locks } = await open(prefix);
    const names = await applicationKeys(client, prefix);
    const before = await client.dbsize();
    expect(await collect(locks.list(''))).toEqual([]);
    for (const name of [...names, ...names.map((each) => `${each}-expires`)]) {
      expect(await locks.inspect(name), name).toMatchObject({ holders: [], waiters: 0 });
    }
    expect(await client.dbsize()).toBe(before);
    const held = await locks.acquire('order/1');
    await locks.acquire('order/2', { mode: 'shared' });
    const waits = locks.acquire('order/1', { wait: 20_000 });
    await eventually('a waiter', async () => (await locks.inspect('order/1')).waiters === 1);
    expect((await collect(locks.list(''))).toSorted()).toEqual(['order/1', 'order/2']);
    expect((await locks.inspect('order/1')).holders).toMatchObject([{ owner: held.owner, token: held.token }]);
    await held.release();
    await (await waits).release();
  });

  test('a forced release of a value that was typed as an owner ends nothing of the application', async () => {
    const { client, locks } = await open(prefix);
    const names = await applicationKeys(client, prefix);
    const before = await client.dbsize();
    for (const key of names.flatMap((each) => [each, `${each}-expires`])) {
      const owner = (await client.get(prefix + key).catch(() => '')) || 'job/1';
      for (const mode of ['exclusive', 'shared'] as const)
        expect(await locks.forceRelease({ key, owner, mode }), key).toBe(false);
    }
    expect(await client.dbsize()).toBe(before);
  });

  test('a timeout quotes no value', async () => {
    const { client, locks } = await open(prefix);
    await client.set(`${prefix}session`, '{"csrf":"s3cret"}', 'EX', 100);
    const waits = locks.acquire('session', { wait: 20 });
    await expect(waits).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', message: expect.not.stringContaining('s3cret') });
    expect(await locks.forceRelease({ key: 'session', owner: 'a/b', mode: 'exclusive' })).toBe(false);
    expect(await client.exists(`${prefix}session`)).toBe(1);
  });

  test.each([
    ['redlock', randomBytes(16).toString('hex'), randomUUID()],
    ['redis-semaphore', randomUUID(), randomBytes(16).toString('hex')],
  ] as const)('on request those of %s are locks', async (comingFrom, owner, other) => {
    const { client, locks } = await open(prefix, { comingFrom });
    await client.set(`${prefix}theirs`, owner, 'PX', 60_000);
    await client.set(`${prefix}for-ever`, owner);
    await client.set(`${prefix}others`, other, 'PX', 60_000);
    expect(await collect(locks.list(''))).toEqual(['theirs']);
    const { holders } = await locks.inspect('theirs');
    expect(holders).toMatchObject([{ owner, mode: 'exclusive' }]);
    expect(await locks.forceRelease(holders[0]!)).toBe(true);
  });
});

describe('a key that other libraries name in another way', () => {
  test.each([{ prefix: '' }, { prefix: 'mutex:', comingFrom: 'redis-semaphore' }] as const)(
    'is refused with $prefix, as both could hold it',
    async ({ prefix, ...options }) => {
      const { locks } = await open(prefix, options);
      for (const key of ['account/{x}1', 'a}b', '100%']) {
        await expect(locks.tryAcquire(key)).rejects.toMatchObject({ code: 'LOCK_INVALID', key });
        await expect(locks.tryWithLock(key, () => {})).rejects.toMatchObject({ code: 'LOCK_INVALID' });
      }
      await (await locks.acquire('account/x1')).release();
    },
  );

  test('is taken with a prefix of its own', async () => {
    const { locks } = await open(ownPrefix());
    await (await locks.acquire('account/{x}1')).release();
  });
});
