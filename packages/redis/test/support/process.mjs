// How another process of the conformance suite makes its provider.
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

export function create({ url, ...options }) {
  return createRedisProvider(new Redis(url), options);
}
