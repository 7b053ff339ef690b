import type { ServerAddress } from '../server/address.ts';

/**
 * Sends one command to a Redis or a Sentinel over a separate connection, and resolves to the reply.
 * Rejects if there is none within a second.
 */
export async function redisCommand(
  { host, port }: Pick<ServerAddress, 'host' | 'port'>,
  name: string,
  ...args: readonly (string | number)[]
): Promise<unknown> {
  // Loads the client, which most users of this package do not need.
  const { Redis } = await import('ioredis');
  const client = new Redis({
    host,
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    enableReadyCheck: false,
    connectTimeout: 1_000,
    commandTimeout: 1_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}
