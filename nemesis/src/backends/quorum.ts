import { initialise } from '@locks/redis';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import type { Backend } from './backend.ts';

/** In ms. A server that came back grants nothing for as long. */
const ttl = 1_000;
/**
 * In ms: how often a server is killed and started empty. With less than twice the ttl the next one
 * would be killed while the one before it still grants nothing.
 */
const restartEvery = 2_500;

/** A majority of three Redis. Another one loses all its data every few seconds. */
export const quorum: Backend = quorumOf({ restartGuard: ttl }, restartEvery);

/** The same without the guard, where two of three servers forget a holder at the same time. */
export const unguarded: Backend = quorumOf({}, 1_000, 2);

function quorumOf(guard: { readonly restartGuard?: number }, every: number, atOnce = 1): Backend {
  return {
    adapter: 'redis',
    clients: ['ioredis'],
    async start() {
      const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
      // New servers have lost nothing: they grant at once.
      for (const { url } of servers) {
        const client = new Redis(url);
        await initialise(client);
        client.disconnect();
      }
      return {
        servers,
        empty: { every, atOnce },
        // A majority without its data cannot be told from other stores.
        ...(atOnce === 1 && { mayEmpty: async () => (await Promise.all(servers.map(knowsQuorum))).every(Boolean) }),
        target: (addresses) => ({
          provider: 'combine',
          ttl,
          exclusive: true,
          options: {
            memberTimeout: 300,
            timeout: 2_000,
            members: addresses.map(({ host, port }) => ({
              url: `redis://${host}:${port}`,
              options: { timeout: 2_000, waiterTtl: 3_000, ...guard },
            })),
          },
        }),
        async stop() {
          await Promise.all(servers.map((server) => server.stop()));
        },
      };
    },
  };
}

/** Whether a server has its register of the quorum. */
async function knowsQuorum({ url }: ServerHandle): Promise<boolean> {
  const client = new Redis(url, { maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  try {
    return (await client.keys('*:register:quorum')).length > 0;
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
