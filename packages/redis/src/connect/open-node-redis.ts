import type { Runtime } from '@locks/core/adapter';
import type { NodeRedisCopy } from '../clients/node-redis/client.ts';
import { checkMajor } from '../clients/node-redis/version.ts';
import { placeOf } from '../options/redis-url.ts';
import { noteLoss } from '../wire/client.ts';
import { checkVersion } from './check-version.ts';
import { connectFirst } from './connect-first.ts';
import type { Credentials, Shown } from './credentials.ts';
import type { NodeRedis } from './libraries.ts';
import { ownNodeRedis } from './own-node-redis.ts';
import { given } from './target.ts';
import type { Opened, Target } from './target.ts';

/** Opens an own client of one server over node-redis. */
export async function openNodeRedis(
  library: NodeRedis,
  target: Target,
  credentials: Credentials,
  runtime: Runtime,
): Promise<Opened> {
  const { connectTimeout, timeout } = target;
  const template = templateOf(library);
  const client = ownNodeRedis({
    runtime,
    timeout,
    connectTimeout,
    explain: (error) => credentials.explain(error),
    create: async () => createFor(template, target, await credentials.ask()),
  });
  client.on('error', (error) => noteLoss(client, error));
  client.on('ready', () => {
    noteLoss(client, undefined);
    credentials.accepted();
  });
  await connectFirst({ client, target, credentials, afterwards: checkVersion, errors: 'error', runtime });
  return { client, close: () => client.disconnect() };
}

const templates = new WeakMap<NodeRedis['createClient'], NodeRedisCopy>();

/**
 * The library creates a class for each client, which takes 0.1 s of CPU time. Copies of one share
 * it.
 */
function templateOf({ createClient }: NodeRedis): NodeRedisCopy {
  let template = templates.get(createClient);
  if (template === undefined) {
    template = createClient({ disableOfflineQueue: true, maintNotifications: 'disabled' });
    checkMajor(template);
    templates.set(createClient, template);
  }
  return template;
}

/** A client of the library for one connection. */
function createFor(
  template: NodeRedisCopy,
  { hosts, db, connectionName, family, connectTimeout }: Target,
  { username, password, tls }: Shown,
): NodeRedisCopy {
  return template.duplicate({
    socket: {
      ...tls,
      ...given({ family }),
      ...hosts.map(placeOf)[0],
      tls: tls !== undefined,
      connectTimeout,
      reconnectStrategy: false,
    },
    ...given({ username, password, database: db }),
    name: connectionName,
  });
}
