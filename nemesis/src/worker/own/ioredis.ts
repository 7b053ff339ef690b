import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';
import type { Target } from '../messages.ts';
import type { Opened } from '../opened.ts';

/**
 * Locks over a client of the application, with its own defaults: it repeats commands, and queues
 * them without a connection.
 */
export function openOwn({ url = '', ttl, options }: Target): Opened {
  // As docs/backends/redis-operate.md asks for.
  const client = new Redis(url, { socketTimeout: 2_000 });
  client.on('error', () => {});
  const provider = createRedisProvider(client, options);
  const locks = createLocks(provider, { ttl });
  return {
    locks,
    async close() {
      await locks.close();
      await provider.close();
      client.disconnect();
    },
  };
}
