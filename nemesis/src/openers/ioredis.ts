import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Redis } from 'ioredis';

/**
 * Locks over a client of the application, with its own defaults: it repeats commands, and queues
 * them without a connection.
 */
export async function open({ addresses: [address], args }: OpenArguments): Promise<OpenedLocks> {
  const { options } = args as { readonly options: object };
  // As docs/backends/redis-operate.md asks for.
  const client = new Redis({ ...address, socketTimeout: 2_000 });
  client.on('error', () => {});
  const provider = createRedisProvider(client, options);
  const locks = createLocks(provider);
  return {
    locks,
    async close() {
      await locks.close();
      await provider.close();
      client.disconnect();
    },
  };
}
