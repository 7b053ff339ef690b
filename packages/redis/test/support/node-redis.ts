import { closing } from '@locks/test-servers';
import { createClient, createClientPool } from 'redis';
import type { RedisClientType } from 'redis';
import { inject, onTestFinished } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { Make } from './make.ts';

/** A client of the shared server, or of `url`, that is connected and ends with the test. */
export async function nodeRedis(
  options: { readonly url?: string; readonly keyPrefix?: string; readonly RESP?: 2 | 3 } = {},
): Promise<RedisClientType> {
  const client = createClient({ url: inject('redisUrl'), ...options });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => {
    if (client.isOpen) client.destroy();
  });
  return client as RedisClientType;
}

/** With a client of node-redis, which its caller has connected and closes. */
export const overNodeRedis: Make = async (address, options) => {
  const client = createClient({ url: address });
  client.on('error', () => {});
  await client.connect();
  return closing(createRedisProvider(client, options), () => {
    if (client.isOpen) client.destroy();
  });
};

/** With a pool of node-redis, which its caller has connected and closes. */
export const overNodeRedisPool: Make = async (address, options) => {
  const pool = createClientPool({ url: address }, { minimum: 1, maximum: 3 });
  pool.on('error', () => {});
  await pool.connect();
  return closing(createRedisProvider(pool, options), () => pool.destroy());
};
