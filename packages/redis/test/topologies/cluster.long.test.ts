import { inspect } from 'node:util';
import { createLocks, openLocks } from '@locks/core';
import type { Claim, Locks } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../../src/clients/given-client.ts';
import { createRedisGuard, createRedisProvider } from '../../src/index.ts';
import type { RedisClusterClient, RedisNode } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import { closeAfterTest, collect, eventually, ownPrefix } from '../support/redis.ts';
import { clusterClients, clusterOpeners, connectCluster, openCluster, clusterOfFile } from './support/cluster.ts';
import type { ClusterOpener } from './support/cluster.ts';
import { waysTo } from './support/ways.ts';
import { locksOver, providerOver, stopAfterTest } from '../support/over.ts';

/** Keys in the slots of all three masters. */
const keys = Array.from({ length: 20 }, (_, index) => `job-${index}`);

const cluster = await clusterOfFile({ replicas: 0 });

/** The client, whose subscriber is a copy of that of the node at `port`. */
function listeningAt(client: RedisClusterClient, port: number): RedisClusterClient {
  const nodes = (role: 'all' | 'master'): RedisNode[] => {
    const all = client.nodes(role);
    return role === 'master' ? all.filter(({ options }) => options?.port === port) : all;
  };
  return {
    evalsha: (...args) => client.evalsha(...args),
    eval: (...args) => client.eval(...args),
    ping: () => client.ping(),
    isCluster: true,
    slots: client.slots,
    nodes,
    get status() {
      return client.status;
    },
  };
}

async function locksAt(open: ClusterOpener, port: number, prefix: string): Promise<Locks> {
  const client = clientOf(await openCluster(open, cluster)) as RedisClusterClient;
  await client.ping();
  return locksOver(listeningAt(client, port), { prefix });
}

describe.each(clusterOpeners)('a Cluster client of %s', (_name, open) => {
  test('serves locks, and stays as it was', async () => {
    const client = await openCluster(open, cluster);
    const view = clientOf(client);
    await view.ping();
    const own = (): unknown => ({
      properties: Object.getOwnPropertyNames(client).toSorted(),
      events: client.eventNames().map((name) => [name, client.listenerCount(name)]),
      options: inspect('options' in client && client.options),
    });
    const before = own();
    const provider = createRedisProvider(client, { prefix: ownPrefix() });
    const locks = createLocks(provider);
    for (const key of keys) await Promise.all([1, 2].map(() => locks.withLock(key, () => {})));
    await locks.close();
    await provider.close();
    expect(own()).toEqual(before);
    expect(await view.ping()).toBe('PONG');
  });

  test('lists the keys of all masters, with a key prefix', async () => {
    const client = await openCluster(open, cluster, { keyPrefix: 'app:' });
    const provider = providerOver(client, { prefix: ownPrefix() });
    const claims = keys.map((key): Claim => claimOf({ key }));
    for (const claim of claims) expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    expect((await collect(provider.list?.('') ?? [])).toSorted()).toEqual(keys.toSorted());
    await Promise.all(claims.map((claim) => provider.release(claim)));
    expect(await collect(provider.list?.('') ?? [])).toEqual([]);
  });

  test('keeps the order of waiters, wherever each of them listens', async () => {
    const prefix = ownPrefix();
    const ports = cluster.nodes.map(({ port }) => port);
    for (const key of keys.slice(0, 6)) {
      const holder = await (await locksAt(open, ports[0] ?? 0, prefix)).acquire(key);
      const order: number[] = [];
      const waiters: Promise<unknown>[] = [];
      for (let index = 0; index < 6; index++) {
        const locks = await locksAt(open, ports[index % 3] ?? 0, prefix);
        waiters.push(locks.withLock(key, async () => void order.push(index)));
        await eventually('a place', async () => (await locks.inspect(key)).waiters === index + 1);
      }
      const began = performance.now();
      await holder.release();
      await Promise.all(waiters);
      expect(order, key).toEqual([0, 1, 2, 3, 4, 5]);
      // A waiter that no message reached would look after two seconds.
      expect(performance.now() - began).toBeLessThan(1_000);
    }
  });

  test('says false of a release that freed nothing, also over a connection that is new', async () => {
    const provider = providerOver(await openCluster(open, cluster), { prefix: ownPrefix() });
    for (const key of keys) expect(await provider.release(claimOf({ key }))).toBe(false);
  });
});

test('it listens at each master; where that breaks it listens where it can, and all waiters look again', async () => {
  const prefix = ownPrefix();
  const ways = await stopAfterTest(waysTo(cluster.nodes));
  const client = clusterClients[0][1](ways.nodes);
  closeAfterTest(client);
  // A waiter that is not told looks after 20 s.
  const locks = locksOver(client, { prefix, waiterTtl: 60_000 });
  const listening = async (): Promise<readonly ServerHandle[]> => {
    const found = await Promise.all(
      cluster.nodes.map(async (node) => [node, await redisCommand(node, 'PUBSUB', 'CHANNELS', `${prefix}*`)] as const),
    );
    return found.flatMap(([node, channels]) => ((channels as readonly unknown[]).length > 0 ? [node] : []));
  };
  for (const key of keys.slice(0, 3)) {
    const held = await locks.acquire(key, { ttl: 120_000 });
    const waiting = locks.acquire(key, { ttl: 120_000 });
    await eventually('a place', async () => (await locks.inspect(key)).waiters === 1);
    // The nodes hold back what they tell each other: up to 40 ms, seen.
    await eventually('a subscription at each master', async () => (await listening()).length === 3);
    const ends = cluster.nodes.map(({ port }) => ways.at(port).refuse());
    for (const node of cluster.nodes) await redisCommand(node, 'CLIENT', 'KILL', 'TYPE', 'pubsub');
    await eventually('the gap', async () => (await listening()).length === 0);
    await held.release();
    // One of them is enough.
    const [only, ...others] = ends;
    only?.();
    const began = performance.now();
    const lease = await waiting;
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await listening()).toEqual([cluster.nodes[0]]);
    await lease.release();
    for (const end of others) end();
    await redisCommand(cluster.nodes[0]!, 'CLIENT', 'KILL', 'TYPE', 'pubsub');
  }
});

test('a guard refuses the stale holder in a Cluster', async () => {
  const guard = createRedisGuard(connectCluster(cluster));
  for (const key of keys) {
    await guard.write(key, 'b', { token: 2n, mode: 'exclusive' });
    await expect(guard.write(key, 'a', { token: 1n, mode: 'exclusive' })).rejects.toMatchObject({ code: 'LOCK_STALE' });
  }
});

test.each([
  ['a URL', (): object => ({ url: cluster.url })],
  [
    'an object',
    (): object => ({
      provider: 'redis',
      options: { nodes: cluster.nodes.map(({ host, port }) => `${host}:${port}`) },
    }),
  ],
])('%s is enough for a Cluster', async (_name, config) => {
  const prefix = ownPrefix();
  const base = config() as { readonly options?: object };
  const locks = await openLocks({ ...base, options: { ...base.options, prefix } });
  const leases = await Promise.all(keys.map((key) => locks.acquire(key)));
  const waiting = keys.map((key) => locks.withLock(key, () => {}));
  for (const key of keys) await eventually('a place', async () => (await locks.inspect(key)).waiters === 1);
  expect((await Promise.all(leases.map((lease) => lease.release()))).every(Boolean)).toBe(true);
  await Promise.all(waiting);
  await locks.close();
});
