import type { Claim, LockProvider } from '@locks/core';
import { startProxy, startRedis } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { collect, connect, eventually } from '../support/redis.ts';
import { stopAfterTest } from '../support/over.ts';

const exclusive = (key: string, owner: string): Claim => ({ key, owner, ttl: 60_000, mode: 'exclusive' });
const shared = (key: string, owner: string, permits: number): Claim => ({
  ...exclusive(key, owner),
  mode: 'shared',
  permits,
});
const unavailable = { code: 'LOCK_UNAVAILABLE', message: expect.stringContaining('READONLY') as string };

/** A master, and a replica that a proxy can hold up. */
async function replicated(): Promise<{
  readonly master: Redis;
  readonly atMaster: LockProvider;
  readonly atReplica: LockProvider;
  /** Waits until the replica has all that the master has; nothing arrives there any more. */
  holdUp(): Promise<void>;
}> {
  const servers = await Promise.all([startRedis({ args: ['--repl-diskless-sync-delay', '0'] }), startRedis()]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const [first, second] = servers;
  const link = await stopAfterTest(startProxy(first));
  const [master, replica] = [connect({}, first.url), connect({}, second.url)];
  await replica.replicaof(link.host, link.port);
  await eventually('the replica', async () => (await replica.info('replication')).includes('master_link_status:up'));
  const [atMaster, atReplica] = [master, replica].map((client) => createRedisProvider(client));
  onTestFinished(async () => void (await Promise.all([atMaster!.close(), atReplica!.close()])));
  return {
    master,
    atMaster: atMaster!,
    atReplica: atReplica!,
    async holdUp() {
      await master.wait(1, 0);
      link.silence('both');
    },
  };
}

beforeAll(() => {
  expect(process.env['LOCKS_TEST_REDIS_URL'], 'two servers of its own').toBeUndefined();
});

test('a replica that is behind does not know what was granted since: no answer of it is certain', async () => {
  const { atMaster, atReplica, holdUp } = await replicated();
  await holdUp();
  for (const claim of [exclusive('job', 'a/1'), shared('shares', 'a/2', 2)]) {
    expect(await atMaster.tryAcquire(claim)).toMatchObject({ granted: true });
    await expect(atReplica.renew(claim)).rejects.toMatchObject(unavailable);
    await expect(atReplica.release(claim)).rejects.toMatchObject(unavailable);
    await expect(atReplica.inspect(claim.key)).rejects.toMatchObject(unavailable);
    expect(await atMaster.release(claim)).toBe(true);
  }
  expect(await atMaster.register?.('name', { from: undefined, to: 'text' })).toBe('text');
  await expect(atReplica.register?.('name')).rejects.toMatchObject(unavailable);
  const change = { from: undefined, to: 'other' };
  await expect(atReplica.register?.('name', change)).rejects.toMatchObject(unavailable);
  await expect(collect(atReplica.list?.('') ?? [])).rejects.toMatchObject(unavailable);
});

test('a replica that is behind knows holders that are gone: it calls nothing busy, and refuses nothing for good', async () => {
  const { master, atMaster, atReplica, holdUp } = await replicated();
  const [holder, waiter] = [exclusive('job', 'a/1'), exclusive('job', 'a/2')];
  const share = shared('shares', 'b/1', 2);
  expect(await atMaster.tryAcquire(holder)).toMatchObject({ granted: true });
  expect(await atMaster.tryAcquire(share)).toMatchObject({ granted: true });
  await eventually('a position in the queue', async () => {
    await atMaster.tryAcquire(waiter, () => {});
    return (await atMaster.inspect('job')).waiters === 1;
  });
  await holdUp();
  for (const claim of [waiter, holder, share]) await atMaster.release(claim);
  expect((await master.keys('*')).every((name) => name.endsWith(':token'))).toBe(true);
  for (const claim of [exclusive('job', 'c/1'), shared('job', 'c/2', 1), shared('shares', 'c/3', 3)]) {
    await expect(atReplica.tryAcquire(claim), claim.owner).rejects.toMatchObject(unavailable);
  }
  await expect(atReplica.tryAcquire(exclusive('shares', share.owner))).rejects.toMatchObject(unavailable);
  for (const claim of [holder, share]) {
    await expect(atReplica.renew(claim)).rejects.toMatchObject(unavailable);
    await expect(atReplica.release(claim)).rejects.toMatchObject(unavailable);
  }
  await expect(collect(atReplica.list?.('') ?? [])).rejects.toMatchObject(unavailable);
});
