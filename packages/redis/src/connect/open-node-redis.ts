import { misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { checkMajor } from '../clients/node-redis/version.ts';
import { redisSource } from '../options/options.ts';
import { noteLoss } from '../wire/client.ts';
import type { Credentials } from './credentials.ts';
import { explainFirst } from './explain-first.ts';
import type { NodeRedis } from './libraries.ts';
import { ownNodeRedis } from './own-node-redis.ts';
import { connectFirst } from './own-client.ts';
import { given } from './place.ts';
import type { Opened, Place } from './place.ts';

/** Opens a client of node-redis of this package's own, for one server. */
export async function openNodeRedis(
  { createClient }: NodeRedis,
  place: Place,
  credentials: Credentials,
  runtime: Runtime,
): Promise<Opened> {
  const { kind, hosts, db, connectionName, connectTimeout, timeout } = place;
  if (kind !== 'server') {
    const what = kind === 'sentinel' ? 'Sentinels' : 'a Cluster';
    throw misconfigured(
      redisSource.where,
      `${what} need ioredis or iovalkey, and the library that opens the URL is redis. Run: npm install ioredis`,
    );
  }
  const client = ownNodeRedis({
    runtime,
    timeout,
    connectTimeout,
    explain: (error) => credentials.explain(error),
    async create() {
      const { username, password, tls } = await credentials.ask();
      const made = createClient({
        socket: { ...tls, ...hosts[0], tls: tls !== undefined, connectTimeout, reconnectStrategy: false },
        ...given({ username, password, database: db, name: connectionName }),
        disableOfflineQueue: true,
        maintNotifications: 'disabled',
      });
      checkMajor(made);
      return made;
    },
  });
  client.on('error', (error) => noteLoss(client, error));
  client.on('ready', () => {
    noteLoss(client, undefined);
    credentials.accepted();
  });
  await connectFirst({
    client,
    db,
    errors: 'error',
    limit: connectTimeout,
    runtime,
    explain: (failure) => explainFirst(failure, place, credentials),
  });
  return { client, close: () => client.disconnect() };
}
