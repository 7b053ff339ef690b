import { startRedis, startRedisSentinel } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedisGuard } from '../../src/index.ts';
import type { RedisClient, RedisClusterClient } from '../../src/index.ts';
import { locksOver } from '../support/over.ts';
import { clients, closeAfterTest, collect, eventually, ownPrefix } from '../support/redis.ts';
import { clusterClients, clusterOfFile, connectCluster } from './support/cluster.ts';

type AnyClient = (RedisClient | RedisClusterClient) & { disconnect(): void };

const [server, set, cluster] = await Promise.all([startRedis(), startRedisSentinel(), clusterOfFile({ replicas: 1 })]);
afterAll(() => Promise.all([server.stop(), set.stop()]));

function sentinelClient(Class: typeof Redis, options: object): AnyClient {
  const sentinels = set.sentinels.map(({ host, port }) => ({ host, port }));
  return closeAfterTest(new Class({ sentinels, name: set.name, ...options }));
}

const deployments: readonly (readonly [name: string, open: (options: object) => AnyClient])[] = [
  ...clients.map(([major, open]): (typeof deployments)[number] => [
    `one server, ${major}`,
    (options) => closeAfterTest(open(server.url, options)),
  ]),
  ['Sentinels, ioredis 6', (options) => sentinelClient(Redis, options)],
  ['Sentinels, ioredis 5', (options) => sentinelClient(Redis5 as unknown as typeof Redis, options)],
  ...clusterClients.map(([major, open]): (typeof deployments)[number] => [
    `a Cluster, ${major}`,
    (options) => connectCluster(cluster, options, open),
  ]),
];

/** Options of clients that change what a call means, or how it travels. */
const changes: readonly (readonly [name: string, options: object])[] = [
  ['auto-pipelining', { enableAutoPipelining: true }],
  ['auto-pipelining and a key prefix', { enableAutoPipelining: true, keyPrefix: 'tenant:' }],
  ['auto-pipelining and reads at replicas', { enableAutoPipelining: true, scaleReads: 'all' }],
  ['reads at replicas', { scaleReads: 'slave' }],
  ['numbers as strings', { stringNumbers: true, redisOptions: { stringNumbers: true } }],
  ['a key prefix', { keyPrefix: 'tenant:' }],
  ['no offline queue', { enableOfflineQueue: false }],
  ['no check whether it is ready', { enableReadyCheck: false }],
  ['commands that are sent again', { maxRetriesPerRequest: null, redisOptions: { maxRetriesPerRequest: null } }],
  ['a limit for commands', { commandTimeout: 3_000, redisOptions: { commandTimeout: 3_000 } }],
  ['readable error stacks', { showFriendlyErrorStack: true }],
];

describe.each(deployments)('%s', (_deployment, open) => {
  test.each(changes)('with %s, calls of one tick are served, each for itself', async (_change, options) => {
    const client = open(options);
    // Scripts go the same way whatever the options are.
    let piped = 0;
    const { pipeline } = client as unknown as { pipeline(): unknown };
    const counted = (): unknown => {
      piped += 1;
      return pipeline.call(client);
    };
    Object.assign(client, { pipeline: counted });
    await eventually('the connection', () => (client as { readonly status: string }).status === 'ready');
    const prefix = ownPrefix();
    const locks = locksOver(client, { prefix });
    const others = locksOver(open(options), { prefix });
    const keys = Array.from({ length: 40 }, (_, index) => `job-${index}`);
    const leases = await Promise.all(keys.map((key) => locks.acquire(key, { wait: 5_000 })));
    await Promise.all(leases.map((lease) => lease.renew()));
    const shares = await Promise.all(
      keys.map((key) => locks.acquire(`${key}-shared`, { mode: 'shared', wait: 5_000 })),
    );
    const waiting = keys.map((key) => others.acquire(key, { wait: 10_000 }));
    await eventually('the waiters', async () => (await locks.inspect('job-0')).waiters === 1);
    expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(keys.map(() => true));
    const next = await Promise.all(waiting);
    const guard = createRedisGuard(client);
    const [lease] = next as [(typeof next)[0]];
    await Promise.all(keys.map((key) => guard.write(`data-${prefix}${key}`, 'x', lease)));
    expect(await Promise.all([...next, ...shares].map((one) => one.release()))).not.toContain(false);
    expect(piped).toBe(0);
    // Its scan is no script.
    await locks.acquire('job-0');
    expect(await collect(locks.list('job-'))).toEqual(['job-0']);
  });
});
