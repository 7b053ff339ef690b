import { createLocks } from '@locks/core';
import type { Lease } from '@locks/core';
import { expect, test } from 'vitest';
import { createRedisGuard, createRedisProvider, fenceLua, fromFenceReply } from '../src/index.ts';
import { connect, ownPrefix } from './support/redis.ts';

const at = (token: bigint): Pick<Lease, 'token' | 'mode'> => ({ token, mode: 'exclusive' });

test('a holder that was paused cannot write over its successor', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const locks = createLocks(createRedisProvider(client, { prefix }));
  const guard = createRedisGuard(client);
  const paused = await locks.acquire('account', { ttl: 1_000, renew: false });
  const successor = await locks.acquire('account');
  await guard.fencedSet(`${prefix}balance`, 'new', successor);
  await expect(guard.fencedSet(`${prefix}balance`, 'old', paused)).rejects.toMatchObject({ code: 'LOCK_STALE' });
  expect(await client.get(`${prefix}balance`)).toBe('new');
  await guard.fencedSet(`${prefix}balance`, 'newer', successor);
  expect(await client.get(`${prefix}balance`)).toBe('newer');
  await locks.close();
});

test('tokens are compared as whole numbers, also beyond 2^53 and of different lengths', async () => {
  const guard = createRedisGuard(connect());
  const key = `${ownPrefix()}{x}`;
  await guard.fencedSet(key, 'a', at(9n));
  await guard.fencedSet(key, 'b', at(10n));
  await guard.fencedSet(key, 'c', at(2n ** 60n));
  await expect(guard.fencedSet(key, 'd', at(2n ** 60n - 1n))).rejects.toMatchObject({ code: 'LOCK_STALE' });
  await guard.fencedSet(key, 'e', at(2n ** 60n + 1n));
});

test('leases that are not exclusive are refused', async () => {
  const guard = createRedisGuard(connect());
  await expect(guard.fencedSet('key', 'value', { token: 1n, mode: 'shared' })).rejects.toMatchObject({
    code: 'LOCK_INVALID',
  });
  await expect(guard.fencedSet('key', 'value', undefined as never)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
});

test("the fragment protects a script of one's own", async () => {
  const client = connect();
  const key = ownPrefix();
  const script = `${fenceLua}
    local refused = fence(KEYS[2], ARGV[1])
    if refused then return refused end
    return redis.call('INCRBY', KEYS[1], ARGV[2])`;
  const add = (lease: Pick<Lease, 'token'>, amount: number): Promise<unknown> =>
    client.eval(script, 2, key, `{${key}}:fence`, `${lease.token}`, amount).catch((error: unknown) => {
      throw fromFenceReply(error, key, lease);
    });
  expect(await add(at(5n), 10)).toBe(10);
  expect(await add(at(6n), 10)).toBe(20);
  await expect(add(at(5n), 10)).rejects.toMatchObject({ code: 'LOCK_STALE' });
  expect(await client.get(key)).toBe('20');
});

test('a flushed script cache does not stop it', async () => {
  const client = connect();
  const guard = createRedisGuard(client);
  const key = ownPrefix();
  await client.script('FLUSH');
  await guard.fencedSet(key, 'a', at(1n));
  expect(await client.get(key)).toBe('a');
});
