// How another process of the conformance suite makes its provider with Sentinels.
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

export function create({ sentinels, name, ...options }) {
  return createRedisProvider(new Redis({ sentinels, name }), options);
}
