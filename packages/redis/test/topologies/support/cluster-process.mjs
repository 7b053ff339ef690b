// How another process of the conformance suite makes its provider on a Cluster.
import { createRedisProvider } from '@locks/redis';
import { Cluster } from 'ioredis';

export function create({ nodes, ...options }) {
  return createRedisProvider(new Cluster(nodes), options);
}
