import { startRedis } from '@locks/test-servers';
import { type Backend, hostOf } from './backend.ts';

/** One Redis that loses nothing when it is killed. */
export const redis: Backend = {
  adapter: 'redis',
  clients: ['ioredis'],
  async start() {
    const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    return {
      servers: [server],
      own: 'ioredis',
      target: (addresses) => ({
        url: `redis://${hostOf(addresses)}`,
        ttl: 1_000,
        // A release assigns the key where the ttl is half of it at least.
        options: { timeout: 2_000, waiterTtl: 1_500 },
      }),
      stop: () => server.stop(),
    };
  },
};

/** The lock whose release deletes the key of any holder. */
export const noOwnerCheck: Backend = {
  clients: ['ioredis'],
  async start() {
    const server = await startRedis();
    return {
      servers: [server],
      target: (addresses) => ({
        url: `redis://${hostOf(addresses)}`,
        ttl: 300,
        flawed: 'no-owner-check',
      }),
      stop: () => server.stop(),
    };
  },
};
