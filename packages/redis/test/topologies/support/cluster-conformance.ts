import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Faults } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { closing } from '@locks/test-servers';
import type { RedisClusterOptions } from '@locks/test-servers';
import { Redis } from 'ioredis';
import type { Cluster } from 'ioredis';
import { afterAll } from 'vitest';
import { createRedisProvider } from '../../../src/index.ts';
import type { RedisOptions } from '../../../src/index.ts';
import { nodesOf, ownCluster } from './cluster.ts';
import type { OpenCluster } from './cluster.ts';
import { answering, faultsOnTheWay, waysTo } from './ways.ts';
import type { Ways } from './ways.ts';
import { leftOfAll } from '../../support/left.ts';
import { ownPrefix } from '../../support/redis.ts';

/** How a suite over a Cluster is run. */
interface ClusterSuite {
  readonly open: OpenCluster;
  readonly only?: readonly string[];
  readonly cluster?: RedisClusterOptions;
}

/**
 * By default a Cluster client sends commands of a broken connection again, in any order. An attempt
 * may then follow the release of its claim, and the key is taken until its ttl ends.
 */
const sendOnce = { retryDelayOnFailover: 0 };

/** Registers the suite for a Cluster of three masters, each provider behind proxies of its own. */
export async function clusterSuite(name: string, { open, only, cluster: form }: ClusterSuite): Promise<void> {
  const args = ['--appendonly', 'yes', '--appendfsync', 'no'];
  const cluster = await ownCluster({ replicas: 0, args, ...form });
  const { nodes } = cluster;
  const observers = nodes.map(({ url }) => new Redis(url).on('error', () => {}));
  afterAll(async () => {
    for (const observer of observers) observer.disconnect();
    await cluster.stop();
  });
  const prefix = ownPrefix();
  const settings = { timeout: 2_000, waiterTtl: 3_000, prefix };
  const waysOf = new WeakMap<LockProvider, Ways>();

  const make = async (client: Cluster, options: RedisOptions): Promise<LockProvider> => {
    client.on('error', () => {});
    const provider = closing(createRedisProvider(client, options), () => client.disconnect());
    // Its client finds the nodes first.
    await answering(provider);
    return provider;
  };
  const create = async (): Promise<LockProvider> => {
    const ways = await waysTo(nodes);
    const client = open(ways.nodes, { ...ways.options, ...sendOnce });
    const provider = closing(await make(client, settings), () => ways.stop());
    waysOf.set(provider, ways);
    return provider;
  };
  const restart = async (meanwhile: (dataFolder: string) => Promise<void>): Promise<void> => {
    await Promise.all(nodes.map((node) => node.restart({ meanwhile })));
    await cluster.settled();
  };
  const faults: Faults = {
    ...faultsOnTheWay(waysOf),
    async pause() {
      await Promise.all(nodes.map((node) => node.pause()));
      return async () => void (await Promise.all(nodes.map((node) => node.resume())));
    },
    restart: () => restart(async () => {}),
    // A node without the file of its name would be a stranger to the others.
    restartEmpty: () => restart((folder) => rm(join(folder, 'appendonlydir'), { recursive: true, force: true })),
  };
  conformanceTests({
    name,
    create,
    createOther: () => make(open(nodesOf(cluster)), { ...settings, waiterTtl: 600, tokenRetention: 1_000 }),
    faults,
    processes: {
      module: new URL('cluster-process.mjs', import.meta.url),
      args: { nodes: nodesOf(cluster), ...settings },
    },
    leaks: () => leftOfAll(observers, prefix),
    only,
  });
}
