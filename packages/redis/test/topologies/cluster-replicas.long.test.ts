import { openLocks } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { keySlot } from '../../src/wire/key-slot.ts';
import { claimOf } from '../support/queue.ts';
import { closeAfterTest, eventually, ownPrefix, untilAnswered } from '../support/redis.ts';
import { clusterOpeners, connectCluster, openCluster, clusterOfFile } from './support/cluster.ts';
import { providerOver } from '../support/over.ts';

/** Keys in the slots of all three masters. */
const keys = Array.from({ length: 20 }, (_, index) => `job-${index}`);

const cluster = await clusterOfFile({ partitions: true });

async function replicaOf(master: ServerHandle): Promise<ServerHandle> {
  const [replica] = await cluster.replicasOf(master);
  if (replica === undefined) throw new Error('The master has no replica.');
  return replica;
}

test('a slot is what the servers say it is', async () => {
  for (const key of [...keys, '', '{a}b', 'x{a}', '{}a', '{{a}}b', 'é{ü}', 'a}b{', '{a']) {
    expect(keySlot(key), key).toBe(await redisCommand(cluster.nodes[0]!, 'CLUSTER', 'KEYSLOT', key));
  }
});

test(
  'leases and a waiter outlive the replacement of all nodes, one after the other',
  { timeout: 180_000 },
  async () => {
    const options = { prefix: ownPrefix(), minReplicas: 1, timeout: 2_000 };
    const [holder, waiter] = await Promise.all([
      openLocks({ url: cluster.url, ttl: 40_000, options }),
      openLocks({ url: cluster.url, ttl: 40_000, options }),
    ]);
    const leases = await Promise.all(keys.map((key) => holder.acquire(key)));
    const waiting = waiter.acquire(keys[0] ?? '', { wait: 120_000 });
    for (const node of cluster.nodes) await cluster.replace(node);
    for (const lease of leases) await untilAnswered('a renewal', () => lease.renew());
    await leases[0]?.release();
    expect((await waiting).token).toBeGreaterThan(leases[0]?.token ?? 0n);
    await Promise.all([holder.close(), waiter.close()]);
  },
);

describe.each(clusterOpeners)('minReplicas in a Cluster, %s', (_name, open) => {
  async function providerOf(prefix: string, keyPrefix = ''): Promise<LockProvider> {
    const client = await openCluster(open, cluster, { keyPrefix });
    return providerOver(client, { prefix, minReplicas: 1, timeout: 1_000 });
  }

  test.each(['', 'app:', '{app}'])(
    'a grant and a renewal are on a replica of their master when they are answered, with key prefix %j',
    async (keyPrefix) => {
      const prefix = ownPrefix();
      const provider = await providerOf(prefix, keyPrefix);
      for (const key of keys) {
        const claim = claimOf({ key, ttl: 10_000 });
        const name = `${keyPrefix}${prefix}${key}`;
        const atReplica = closeAfterTest(
          new Redis((await replicaOf(await cluster.masterOf(name))).url, { readOnly: true }),
        );
        await atReplica.ping();
        await untilAnswered('the first grant', () => provider.tryAcquire(claim));
        expect(await atReplica.get(name)).toBe(claim.owner);
        expect(await provider.renew({ ...claim, ttl: 100_000 })).toEqual({});
        expect(await atReplica.pttl(name)).toBeGreaterThan(50_000);
        expect(await provider.release(claim)).toBe(true);
      }
    },
  );

  test('where a master has too few, its grants are unknown, and those of other masters are not', async () => {
    const prefix = ownPrefix();
    const provider = await providerOf(prefix);
    const lame = await cluster.masterOf(`${prefix}${keys[0]}`);
    const masters = await Promise.all(keys.map((key) => cluster.masterOf(prefix + key)));
    for (const key of keys) await provider.inspect(key);
    const replica = await replicaOf(lame);
    await replica.pause();
    try {
      const answers = await Promise.allSettled(keys.map((key) => provider.tryAcquire(claimOf({ key }))));
      for (const [index, answer] of answers.entries()) {
        const expected =
          masters[index] === lame
            ? { reason: { code: 'LOCK_UNAVAILABLE', message: expect.stringMatching(/0 of 1 replicas/) as string } }
            : { value: { granted: true } };
        expect(answer, keys[index]).toMatchObject(expected);
      }
    } finally {
      await replica.resume();
    }
    await cluster.settled();
  });

  test('calls at the same time share a WAIT at each master', async () => {
    const provider = await providerOf(ownPrefix());
    const masters = await cluster.masters();
    const waits = async (): Promise<readonly number[]> =>
      await Promise.all(
        masters.map(async (master) => {
          const stats = String(await redisCommand(master, 'INFO', 'commandstats'));
          return Number(/cmdstat_wait:calls=(\d+)/.exec(stats)?.[1] ?? 0);
        }),
      );
    await provider.inspect('first');
    const before = await waits();
    const claims = Array.from({ length: 100 }, (_, index) => claimOf({ key: `many-${index}` }));
    const answers = await Promise.all(claims.map((claim) => provider.tryAcquire(claim)));
    expect(answers.every(({ granted }) => granted)).toBe(true);
    for (const [index, count] of (await waits()).entries()) expect(count - (before[index] ?? 0)).toBeLessThan(5);
  });
});

test('in a failover in order a lease goes on, and excludes others', async () => {
  const prefix = ownPrefix();
  const provider = providerOver(connectCluster(cluster), { prefix, timeout: 1_000 });
  const claim = claimOf({ key: 'job', ttl: 60_000 });
  const grant = await provider.tryAcquire(claim);
  await cluster.failOver(await replicaOf(await cluster.masterOf(`${prefix}job`)));
  expect(await untilAnswered('a renewal', () => provider.renew(claim))).toEqual({});
  expect(await provider.tryAcquire(claimOf({ key: 'job' }))).toMatchObject({ granted: false });
  expect((await provider.inspect('job')).holders).toMatchObject([{ token: grant.granted && grant.token }]);
  await provider.release(claim);
  await cluster.settled();
});

test('a master of a Cluster that is cut off from the others grants to clients that reach it: both claims hold', async () => {
  const prefix = ownPrefix();
  const old = await cluster.masterOf(`${prefix}job`);
  const replica = await replicaOf(old);
  const stale = closeAfterTest(new Redis(old.url));
  const before = createRedisProvider(stale, { prefix, timeout: 1_000 });
  expect(await before.inspect('job')).toMatchObject({ holders: [] });
  const heal = cluster.partition(old);
  const grant = await before.tryAcquire(claimOf({ key: 'job', ttl: 60_000 }));
  const fresh = closeAfterTest(new Redis(replica.url));
  const after = createRedisProvider(fresh, { prefix, timeout: 1_000 });
  const other = claimOf({ key: 'job', ttl: 60_000 });
  const second = await untilAnswered('a grant', () => after.tryAcquire(other), 20_000);
  if (!grant.granted || !second.granted) throw new Error('One of them was refused.');
  expect(second.token).toBeGreaterThan(grant.token);
  // A master without a majority refuses clients after the node timeout.
  await eventually('the end of it', async () => (await before.inspect('job').catch(() => undefined)) === undefined);
  heal();
  await Promise.all([before.close(), after.close()]);
  await cluster.settled();
});
