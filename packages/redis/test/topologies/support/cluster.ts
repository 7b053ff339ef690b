import { startRedisCluster } from '@locks/test-servers';
import type { RedisCluster, RedisClusterOptions } from '@locks/test-servers';
import { Cluster } from 'ioredis';
import type { ClusterOptions } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis-5';
import { Cluster as ValkeyCluster } from 'iovalkey';
import { createCluster } from 'redis';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { GivenClient } from '../../../src/index.ts';

/** The clients of a Cluster with the interface of ioredis. */
export const clusterClients = [
  ['ioredis 6', (nodes: Nodes, options: ClusterOptions = {}): Cluster => new Cluster([...nodes], options as object)],
  [
    'ioredis 5',
    (nodes: Nodes, options: ClusterOptions = {}): Cluster =>
      new Cluster5([...nodes], options as object) as unknown as Cluster,
  ],
  [
    'iovalkey',
    (nodes: Nodes, options: ClusterOptions = {}): Cluster =>
      new ValkeyCluster([...nodes], options as object) as unknown as Cluster,
  ],
] as const;

export type Nodes = readonly { readonly host: string; readonly port: number }[];
export type OpenCluster = (typeof clusterClients)[number][1];

/** A Cluster for one file of tests. */
export async function ownCluster(options?: RedisClusterOptions): Promise<RedisCluster> {
  expect(process.env['LOCKS_TEST_REDIS_URL'], 'servers of its own').toBeUndefined();
  return await startRedisCluster(options);
}

/** A Cluster that stops at the end of the test file. */
export async function clusterOfFile(options?: RedisClusterOptions): Promise<RedisCluster> {
  const cluster = await ownCluster(options);
  afterAll(() => cluster.stop());
  return cluster;
}

/** The addresses of a Cluster's nodes. */
export function nodesOf(cluster: RedisCluster): Nodes {
  return cluster.nodes.map(({ host, port }) => ({ host, port }));
}

/** A client that ends with the test. */
export function connectCluster(cluster: RedisCluster, options: ClusterOptions = {}, open?: OpenCluster): Cluster {
  const client = (open ?? clusterClients[0][1])(nodesOf(cluster), options);
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** A client of a Cluster, as its caller has it. */
export interface OpenedCluster {
  readonly client: GivenClient & Pick<Cluster, 'eventNames' | 'listenerCount'>;
  close(): void;
}

/** Opens one. */
export type ClusterOpener = (
  nodes: Nodes,
  options?: Pick<ClusterOptions, 'keyPrefix' | 'retryDelayOnFailover'>,
) => Promise<OpenedCluster>;

const template = createCluster({ rootNodes: [] });

/** The clients of a Cluster, of each library. */
export const clusterOpeners: readonly (readonly [name: string, open: ClusterOpener])[] = [
  ...clusterClients.map(([name, open]): readonly [string, ClusterOpener] => [
    name,
    async (nodes, options) => {
      const client = open(nodes, options);
      client.on('error', () => {});
      return { client, close: () => client.disconnect() };
    },
  ]),
  [
    'node-redis',
    async (nodes, { keyPrefix } = {}) => {
      // A new one has a new class, for which the library takes 0.1 s of a processor.
      const client = template.duplicate({
        rootNodes: nodes.map((socket) => ({ socket })),
        ...(keyPrefix !== undefined && { keyPrefix }),
      });
      client.on('error', () => {});
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  ],
];

/** A client that ends with the test. */
export async function openCluster(
  open: ClusterOpener,
  cluster: RedisCluster,
  options?: Parameters<ClusterOpener>[1],
): Promise<OpenedCluster['client']> {
  const { client, close } = await open(nodesOf(cluster), options);
  onTestFinished(close);
  return client;
}
