import { systemRuntime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { clientOf } from './clients/given-client.ts';
import type { GivenClient } from './clients/given-client.ts';
import { readRedisOptions } from './options/options.ts';
import type { RedisOptions } from './options/options.ts';
import { RedisProvider } from './provider.ts';

/**
 * Locks on Redis (6.2 or newer) or Valkey, through a client that the caller owns: of `ioredis`,
 * `iovalkey` or `redis` (node-redis), for one server, for the master of Sentinels, or for a
 * Cluster; or a pool of node-redis.
 * @throws `LOCK_MISCONFIGURED` for a wrong client or option.
 */
export function createRedisProvider(client: GivenClient, options: RedisOptions = {}): LockProvider {
  const used = clientOf(client);
  return new RedisProvider(used, readRedisOptions(used, options), systemRuntime);
}
