import { systemRuntime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { clientOf } from './clients/given-client.ts';
import type { NodeRedisClient } from './clients/node-redis.ts';
import type { AnyRedisClient } from './wire/servers.ts';
import { readRedisOptions } from './options/options.ts';
import type { RedisOptions } from './options/options.ts';
import { RedisProvider } from './provider.ts';

/**
 * Locks on Redis (6.2 or newer) or Valkey, through a client that stays the caller's. It is one of
 * `ioredis`: of a server, of what Sentinels call the master, or of a Cluster. Or it is one of
 * `redis` (node-redis) of a server.
 * @throws `LOCK_MISCONFIGURED` for a wrong client or option.
 */
export function createRedisProvider(
  client: AnyRedisClient | NodeRedisClient,
  options: RedisOptions = {},
): LockProvider {
  const used = clientOf(client);
  return new RedisProvider(used, readRedisOptions(used, options), systemRuntime);
}
