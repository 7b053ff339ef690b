import { checkClient } from '../options/options.ts';
import type { RedisClient, RedisClusterClient } from '../wire/client.ts';
import type { AnyRedisClient } from '../wire/servers.ts';
import { fromNodeRedis } from './node-redis/server.ts';
import { fromNodeRedisCluster } from './node-redis/cluster.ts';
import { nodeRedisOf } from './node-redis/kinds.ts';
import type { AnyNodeRedis, KnownNodeRedis } from './node-redis/kinds.ts';
import { fromNodeRedisPool } from './node-redis/pool.ts';
import { fromNodeRedisSentinel } from './node-redis/sentinel.ts';
import { checkMajor } from './node-redis/version.ts';

/** A client that the caller gives. */
export type GivenClient = AnyRedisClient | AnyNodeRedis;

/** The provider's view of each client of node-redis: two providers over one share it. */
const known = new WeakMap<AnyNodeRedis, AnyRedisClient>();

/**
 * The client that the provider goes over, by what `given` can do.
 * @throws `LOCK_MISCONFIGURED` for what cannot be used.
 */
export function clientOf(given: GivenClient): AnyRedisClient {
  const nodeRedis = nodeRedisOf(given);
  if (nodeRedis === undefined) {
    checkClient(given as AnyRedisClient);
    return given as AnyRedisClient;
  }
  let client = known.get(nodeRedis.client);
  if (client === undefined) {
    checkMajor(nodeRedis.client);
    known.set(nodeRedis.client, (client = viewOf(nodeRedis)));
  }
  return client;
}

function viewOf({ kind, client }: KnownNodeRedis): RedisClient | RedisClusterClient {
  if (kind === 'Cluster') return fromNodeRedisCluster(client);
  if (kind === 'Sentinel') return fromNodeRedisSentinel(client);
  return kind === 'pool' ? fromNodeRedisPool(client) : fromNodeRedis(client);
}
