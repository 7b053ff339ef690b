import { startRedisCluster } from '@locks/test-servers';
import type { RedisCluster, RedisClusterOptions } from '@locks/test-servers';
import { Cluster } from 'ioredis';
import type { ClusterOptions } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis-5';
import { Cluster as ValkeyCluster } from 'iovalkey';
import { expect, onTestFinished } from 'vitest';

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
