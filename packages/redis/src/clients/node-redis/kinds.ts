import type { NodeRedisClient } from './client.ts';
import type { NodeRedisCluster } from './cluster.ts';
import type { NodeRedisPool } from './pool.ts';
import type { NodeRedisSentinel } from './sentinel.ts';

/**
 * A client of node-redis: of `createClient()`, `createClientPool()`, `createCluster()` or
 * `createSentinel()`.
 */
export type AnyNodeRedis = NodeRedisClient | NodeRedisPool | NodeRedisCluster | NodeRedisSentinel;

/** One of them, and its kind. */
export type KnownNodeRedis =
  | { readonly kind: 'client'; readonly client: NodeRedisClient }
  | { readonly kind: 'pool'; readonly client: NodeRedisPool }
  | { readonly kind: 'Cluster'; readonly client: NodeRedisCluster }
  | { readonly kind: 'Sentinel'; readonly client: NodeRedisSentinel };

/** The kind of node-redis client that `given` is. `undefined`: another client. */
export function nodeRedisOf(given: unknown): KnownNodeRedis | undefined {
  const found = (given ?? {}) as Readonly<Record<string, unknown>>;
  const can = (name: string): boolean => typeof found[name] === 'function';
  if (!can('sendCommand')) return undefined;
  if (can('nodeClient')) return { kind: 'Cluster', client: given as NodeRedisCluster };
  if (can('getSentinelNode')) return { kind: 'Sentinel', client: given as NodeRedisSentinel };
  if (can('execute')) return { kind: 'pool', client: given as NodeRedisPool };
  const single = can('duplicate') && typeof found['isReady'] === 'boolean';
  return single ? { kind: 'client', client: given as NodeRedisClient } : undefined;
}
