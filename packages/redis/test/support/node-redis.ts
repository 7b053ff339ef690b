import { closing } from '@locks/test-servers';
import { createClient, createClientPool } from 'redis';
import { createRedisProvider } from '../../src/index.ts';
import type { Make } from './make.ts';

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
