import { misconfigured } from '@locks/core/adapter';
import { checkClient, redisSource } from '../options/options.ts';
import type { RedisClient } from '../wire/client.ts';
import type { AnyRedisClient } from '../wire/servers.ts';
import { fromNodeRedis, isNodeRedis, otherNodeRedis } from './node-redis.ts';
import type { NodeRedisClient } from './node-redis.ts';

/** The provider's view of each client of node-redis: two providers over one share it. */
const known = new WeakMap<NodeRedisClient, RedisClient>();

/**
 * The client that the provider goes over, by what `given` can do.
 * @throws `LOCK_MISCONFIGURED` for what cannot be used.
 */
export function clientOf<Client extends AnyRedisClient>(given: Client | NodeRedisClient): Client | RedisClient {
  if (isNodeRedis(given)) {
    let client = known.get(given);
    if (client === undefined) known.set(given, (client = fromNodeRedis(given)));
    return client;
  }
  const other = otherNodeRedis(given);
  if (other !== undefined) {
    const why = `it takes no ${other} of node-redis. Pass a client of createClient(), or a client of ioredis or iovalkey for Sentinels and Clusters`;
    throw misconfigured(redisSource.where, why);
  }
  checkClient(given);
  return given;
}
