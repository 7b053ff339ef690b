import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Faults } from '@locks/conformance';
import { conformanceTests } from '@locks/conformance/vitest';
import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { closing } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { createRedisProvider, fromConfig } from '../../../src/index.ts';
import type { RedisOptions } from '../../../src/index.ts';
import { clusterOfFile, clusterOpeners, nodesOf } from './cluster.ts';
import type { ClusterOpener, Nodes } from './cluster.ts';
import { answering, faultsOnTheWay, waysTo } from './ways.ts';
import type { Ways } from './ways.ts';
import { leftOfAll } from '../../support/left.ts';
import { ownPrefix } from '../../support/redis.ts';
import type { Chosen } from '../../../../conformance/test/support/selection.ts';

/** How a suite over a Cluster is run. */
interface ClusterSuite {
  readonly client: keyof typeof clusterProviders;
  /** Each master has so many replicas. @default none */
  readonly minReplicas?: number;
  readonly only: Chosen;
}

/** Makes a provider that asks the nodes at these addresses first. */
type OpenProvider = (nodes: Nodes, options: RedisOptions) => Promise<LockProvider>;

/** As the documentation asks. All else is as it is by default. */
const sendOnce = { retryDelayOnFailover: 0 };

function overClient(open: ClusterOpener): OpenProvider {
  return async (nodes, options) => {
    const { client, close } = await open(nodes, sendOnce);
    return closing(createRedisProvider(client, options), close);
  };
}

const fromUrl: OpenProvider = async (nodes, options) => {
  const url = `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`;
  return await fromConfig({ url, options: { ...options, library: 'ioredis' }, runtime: systemRuntime });
};

type ClientName = 'ioredis 6' | 'ioredis 5' | 'iovalkey' | 'node-redis';

/** In which ways a provider on a Cluster is made. */
const clusterProviders = {
  ...(Object.fromEntries(clusterOpeners.map(([name, open]) => [name, overClient(open)])) as Record<
    ClientName,
    OpenProvider
  >),
  'from a URL': fromUrl,
} as const satisfies Record<string, OpenProvider>;

/** Registers the suite for a Cluster of three masters, each provider behind proxies of its own. */
export async function clusterSuite({ client, minReplicas, only }: ClusterSuite): Promise<void> {
  const args = ['--appendonly', 'yes', '--appendfsync', 'no'];
  const cluster = await clusterOfFile({ replicas: minReplicas ?? 0, args });
  const { nodes } = cluster;
  const observers = nodes.map(({ url }) => new Redis(url).on('error', () => {}));
  afterAll(() => observers.forEach((observer) => observer.disconnect()));
  const prefix = ownPrefix();
  const settings = { timeout: 2_000, waiterTtl: 3_000, prefix, ...(minReplicas && { minReplicas }) };
  const waysOf = new WeakMap<LockProvider, Ways>();

  const make = async (options: RedisOptions): Promise<LockProvider> => {
    const ways = await waysTo(nodes);
    const provider = closing(await clusterProviders[client](ways.nodes, options), () => ways.stop());
    // Its client finds the nodes first.
    await answering(provider);
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
    name: `a Redis Cluster, ${client}`,
    create: () => make(settings),
    createOther: () => make({ ...settings, waiterTtl: 600, tokenRetention: 1_000 }),
    faults,
    processes: {
      module: new URL('cluster-process.mjs', import.meta.url),
      args: { nodes: nodesOf(cluster), ...settings },
    },
    leaks: () => leftOfAll(observers, prefix),
    only,
  });
}
