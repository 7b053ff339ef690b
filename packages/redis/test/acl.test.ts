import { createLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../src/index.ts';
import { aclCommands } from '../src/replies.ts';
import { closeAfterTest, connect, eventually } from './support/redis.ts';

async function withUser(rules: readonly string[]): Promise<{ readonly admin: Redis; readonly user: Redis }> {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const admin = connect({}, server.url);
  await admin.acl('SETUSER', 'locker', 'on', '>secret', 'resetchannels', ...rules);
  const user = new Redis(server.url, { username: 'locker', password: 'secret', disableClientInfo: true });
  closeAfterTest(user);
  return { admin, user };
}

const documented = ['~locks:*', '~{locks:*', '&locks:wake:*', ...aclCommands.split(' ')];

describe('the least-privilege user of the documentation', () => {
  test('can do all that the provider does, and is denied nothing', async () => {
    const { admin, user } = await withUser(documented);
    const provider = createRedisProvider(user);
    const locks = createLocks(provider);
    const lease = await locks.acquire('job');
    const next = locks.acquire('job');
    await eventually('the waiter in line', async () => (await locks.inspect('job')).waiters === 1);
    await lease.renew();
    await lease.release();
    await (await next).release();
    const shares = await Promise.all([1, 2].map(() => locks.acquire('job', { mode: 'shared', permits: 2 })));
    expect(await locks.tryAcquire('job', { mode: 'shared', permits: 2 })).toBeNull();
    for await (const key of provider.list?.('') ?? []) expect(key).toBe('job');
    await Promise.all(shares.map((share) => share.release()));
    await locks.close();
    await provider.close();
    expect(await admin.acl('LOG')).toEqual([]);
  });

  test('can do nothing else', async () => {
    const { user } = await withUser(documented);
    await expect(user.get('other')).rejects.toThrow('NOPERM');
    await expect(user.flushall()).rejects.toThrow('NOPERM');
    await expect(user.publish('other', 'x')).rejects.toThrow('NOPERM');
  });
});

test('a refused command is LOCK_MISCONFIGURED at once, with what to grant', async () => {
  const { user } = await withUser(['~locks:*', '&*', '+@all', '-evalsha']);
  const locks = createLocks(createRedisProvider(user));
  await expect(locks.acquire('job')).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining('+evalsha') as string,
  });
  await locks.close();
});

test('refused keys are LOCK_MISCONFIGURED too', async () => {
  const { user } = await withUser(['~other:*', '&*', '+@all']);
  const locks = createLocks(createRedisProvider(user));
  await expect(locks.acquire('job')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await locks.close();
});

test('a refused wake channel fails those that must wait, leaves nothing of them, and works once it is granted', async () => {
  const { admin, user } = await withUser(documented.filter((rule) => !rule.startsWith('&')));
  const locks = createLocks(createRedisProvider(user));
  const lease = await locks.acquire('job');
  await expect(locks.acquire('job')).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining('wake channel') as string,
  });
  expect((await locks.inspect('job')).waiters).toBe(0);
  await admin.acl('SETUSER', 'locker', '&locks:wake:*');
  const next = locks.acquire('job');
  await eventually('the waiter in line', async () => (await locks.inspect('job')).waiters === 1);
  await lease.release();
  await (await next).release();
  await locks.close();
});
