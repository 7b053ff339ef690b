import { join } from 'node:path';
import { startRedis } from '@locks/test-servers';
import type { Definition } from './definition.ts';
import { faultsOfServers } from './server-faults.ts';

/** One Redis that loses nothing when it is killed. */
export const redis: Definition = {
  adapters: ['redis'],
  clients: ['ioredis'],
  async start(application) {
    const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const options = { timeout: 2_000, waiterTtl: 1_500 };
    return {
      target: {
        name: 'redis',
        ttl: 1_000,
        fair: true,
        servers: [server],
        openings: {
          url: { args: { url: 'redis://{host}:{port}', options } },
          ioredis: { module: join(application, 'programs/openers/ioredis.js'), args: { options } },
        },
        faults: faultsOfServers([server]),
      },
      log: () => server.log(),
      stop: () => server.stop(),
    };
  },
};
