import { checkClient } from '../options/options.ts';
import type { RedisClient, RedisClusterClient } from '../wire/client.ts';
import type { AnyRedisClient } from '../wire/servers.ts';
import { fromNodeRedisCluster } from './node-redis/cluster.ts';
import { nodeRedisOf } from './node-redis/kinds.ts';
import type { AnyNodeRedis, KnownNodeRedis } from './node-redis/kinds.ts';
import { fromNodeRedisPool } from './node-redis/pool.ts';
import { fromNodeRedisSentinel } from './node-redis/sentinel.ts';
import { checkMajor, keyPrefixOf } from './node-redis/version.ts';
import { commandsOf, senderOf } from './node-redis/commands.ts';
import { copyOf, duplicateOf } from './node-redis/copy.ts';
import type { NodeRedisClient } from './node-redis/client.ts';
import { stateOf } from './node-redis/state.ts';

/** A client that the caller gives. */
export type GivenClient = AnyRedisClient | AnyNodeRedis;

/** Two providers over one client of node-redis share its view. */
const known = new WeakMap<AnyNodeRedis, AnyRedisClient>();

/**
 * Adapts `given`, recognised by its methods.
 * @throws `LOCK_MISCONFIGURED` for anything else.
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

/** A client of one server, as the provider uses it. */
function fromNodeRedis(client: NodeRedisClient): RedisClient {
  const keyPrefix = keyPrefixOf(client);
  const state = stateOf(client, 'client');
  return {
    ...commandsOf(state.guarded(senderOf(client)), keyPrefix),
    duplicate: () => copyOf({ create: () => duplicateOf(client), keyPrefix }),
    get stream() {
      return client.socketEpoch;
    },
    get status() {
      return state.status();
    },
  };
}
