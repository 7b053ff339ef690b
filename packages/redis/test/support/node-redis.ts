import { closing } from '@locks/test-servers';
import { createClient } from 'redis';
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
