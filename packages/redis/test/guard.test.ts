import type { Lease } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { createRedisGuard, fenceLua } from '../src/index.ts';
import { clients, closeAfterTest, clusterOfOne, connect, ownPrefix } from './support/redis.ts';
import { locksOver, stopAfterTest } from './support/over.ts';

const at = (token: bigint): Pick<Lease, 'token' | 'mode'> => ({ token, mode: 'exclusive' });

test('a holder that was paused cannot write over its successor', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const locks = locksOver(client, { prefix });
  const guard = createRedisGuard(client);
  const paused = await locks.acquire('account', { ttl: 1_000, renew: false });
  const successor = await locks.acquire('account');
  await guard.write(`${prefix}balance`, 'new', successor);
  await expect(guard.write(`${prefix}balance`, 'old', paused)).rejects.toMatchObject({ code: 'LOCK_STALE' });
  expect(await client.get(`${prefix}balance`)).toBe('new');
  await guard.write(`${prefix}balance`, 'newer', successor);
  expect(await client.get(`${prefix}balance`)).toBe('newer');
});

test('tokens are compared as whole numbers, also beyond 2^53 and of different lengths', async () => {
  const guard = createRedisGuard(connect());
  const key = `${ownPrefix()}{x}`;
  await guard.write(key, 'a', at(9n));
  await guard.write(key, 'b', at(10n));
  await guard.write(key, 'c', at(2n ** 60n));
  await expect(guard.write(key, 'd', at(2n ** 60n - 1n))).rejects.toMatchObject({ code: 'LOCK_STALE' });
  await guard.write(key, 'e', at(2n ** 60n + 1n));
  await expect(guard.write(key, 'f', at(2n ** 60n))).rejects.toMatchObject({ code: 'LOCK_STALE' });
});

test('leases that are not exclusive are refused', async () => {
  const guard = createRedisGuard(connect());
  await expect(guard.write('key', 'value', { token: 1n, mode: 'shared' })).rejects.toMatchObject({
    code: 'LOCK_INVALID',
  });
  await expect(guard.write('key', 'value', undefined as never)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
});

test("the fragment protects a script of one's own", async () => {
  const client = connect();
  const key = ownPrefix();
  const script = `${fenceLua}
    local refused = fence(KEYS[2], ARGV[1])
    if refused then return refused end
    return redis.call('INCRBY', KEYS[1], ARGV[2])`;
  const add = (lease: Pick<Lease, 'token'>, amount: number): Promise<unknown> =>
    client.eval(script, 2, key, `{${key}}:fence`, `${lease.token}`, amount);
  expect(await add(at(5n), 10)).toBe(10);
  expect(await add(at(6n), 10)).toBe(20);
  await expect(add(at(5n), 10)).rejects.toThrow('LOCKS_STALE 6');
  expect(await client.get(key)).toBe('20');
});

test('a flushed script cache does not stop it', async () => {
  const client = connect();
  const guard = createRedisGuard(client);
  const key = ownPrefix();
  await client.script('FLUSH');
  await guard.write(key, 'a', at(1n));
  expect(await client.get(key)).toBe('a');
});

/** Names that differ in their braces only. */
const braced = [
  'x',
  '{x}',
  '{app:x}',
  '{{x}}',
  '{x}y',
  'x}',
  '{x',
  '{}x',
  '{}',
  '}{',
  '{x}}',
  '{{x}',
  'y{x}',
  '{x}{y}',
];

describe.each(clients)('resources whose names have braces, with %s', (_name, create) => {
  test.each(['', 'app:', '{app}:'])('have fences of their own, with the client prefix "%s"', async (keyPrefix) => {
    const prefix = keyPrefix + ownPrefix();
    const server = await stopAfterTest(startRedis());
    const client = closeAfterTest(create(server.url, { keyPrefix }));
    const guard = createRedisGuard(client);
    for (const [index, name] of braced.entries()) await guard.write(name, prefix, at(BigInt(100 - index)));
    for (const [index, name] of braced.entries()) {
      await guard.write(name, 'again', at(BigInt(100 - index)));
      await expect(guard.write(name, 'late', at(BigInt(99 - index))), name).rejects.toThrow(`${100 - index}`);
      expect(await client.get(name)).toBe('again');
    }
    expect(await client.dbsize()).toBe(2 * braced.length);
  });

  test('are in the slots of their fences in a Cluster, or refused for good', async () => {
    const client = closeAfterTest(create(await clusterOfOne()));
    const guard = createRedisGuard(client);
    const untagged = ['x}', '{}x', '{}', '}{'];
    for (const name of braced.filter((each) => !untagged.includes(each))) await guard.write(name, 'value', at(1n));
    for (const name of untagged) {
      await expect(guard.write(name, 'value', at(1n)), name).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    }
  });
});
