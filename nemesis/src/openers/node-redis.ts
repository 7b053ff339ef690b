import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createRedisProvider } from '@locks/redis';
import { createClient, createClientPool } from 'redis';
import { addressOf, openedOver, quiet } from './opened.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
}

/** Locks over a client or a pool of node-redis. `settings.pool`: the number of connections. */
export async function open(given: OpenArguments): Promise<OpenedLocks> {
  const { ttl, options } = given.args as unknown as Args;
  const { pool, disableOfflineQueue } = given.settings;
  const { host, port } = addressOf(given);
  const url = `redis://${host}:${port}`;
  const offline = disableOfflineQueue === true;
  if (typeof pool !== 'number') {
    const client = quiet(createClient({ url, disableOfflineQueue: offline }));
    await client.connect();
    return openedOver(createRedisProvider(client, options), ttl, () => client.isOpen && client.destroy());
  }
  const clients = quiet(createClientPool({ url, disableOfflineQueue: offline }, { minimum: 1, maximum: pool }));
  await clients.connect();
  return openedOver(createRedisProvider(clients, options), ttl, () => clients.destroy());
}
