import { systemRuntime } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import type { RedisClient } from './client.ts';
import { readRedisOptions } from './options.ts';
import type { RedisOptions } from './options.ts';
import { RedisProvider } from './provider.ts';

/**
 * Locks on one Redis (6.2 or newer) or Valkey, through an `ioredis` client that stays the caller's.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function createRedisProvider(client: RedisClient, options: RedisOptions = {}): LockProvider {
  return new RedisProvider(client, readRedisOptions(client, options), systemRuntime);
}
