import { systemRuntime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { AnyRedisClient } from './wire/servers.ts';
import { readRedisOptions } from './options/options.ts';
import type { RedisOptions } from './options/options.ts';
import { RedisProvider } from './provider.ts';

/**
 * Locks on Redis (6.2 or newer) or Valkey, through an `ioredis` client that stays the caller's: one
 * of a server, of what Sentinels call the master, or a `Cluster`.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function createRedisProvider(client: AnyRedisClient, options: RedisOptions = {}): LockProvider {
  return new RedisProvider(client, readRedisOptions(client, options), systemRuntime);
}
