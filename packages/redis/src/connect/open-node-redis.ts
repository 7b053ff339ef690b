import type { Runtime } from '@locks/core/adapter';
import type { NodeRedisCopy } from '../clients/node-redis/client.ts';
import { checkMajor } from '../clients/node-redis/version.ts';
import { placeOf } from '../options/hosts.ts';
import type { RedisHost } from '../options/hosts.ts';
import { noteLoss } from '../wire/client.ts';
import { isCluster } from '../wire/servers.ts';
import { checkVersion } from './check-version.ts';
import type { Credentials } from './credentials.ts';
import { explainFirst } from './explain-first.ts';
import type { NodeRedis } from './libraries.ts';
import { ownCluster } from './own-cluster.ts';
import { connectFirst } from './own-client.ts';
import type { OwnClusterClient } from './own-client.ts';
import { ownNodeRedis } from './own-node-redis.ts';
import type { OwnNodeRedis } from './own-node-redis.ts';
import { given } from './target.ts';
import type { Opened, Target } from './target.ts';
import { masterOf } from './sentinel-master.ts';

/** Opens a client of this package's own over node-redis. */
export async function openNodeRedis(
  library: NodeRedis,
  target: Target,
  credentials: Credentials,
  runtime: Runtime,
): Promise<Opened> {
  const connections: Connections = { template: templateOf(library), target, credentials, runtime };
  const { kind, db, connectTimeout } = target;
  const errors = kind === 'cluster' ? 'node error' : 'error';
  const client = kind === 'cluster' ? clusterOf(connections) : serverOf(connections);
  client.on(errors, (error) => {
    // One node may fail while the others serve.
    if (kind !== 'cluster' || client.status !== 'ready') noteLoss(client, error);
  });
  for (const event of ['ready', 'node ready'] as const) {
    client.on(event, () => {
      noteLoss(client, undefined);
      credentials.accepted();
    });
  }
  await connectFirst<OwnNodeRedis | OwnClusterClient>({
    client,
    db,
    afterwards: async (one) => {
      const servers = isCluster(one) ? one.nodes('master') : [one];
      await Promise.all(servers.map(checkVersion));
    },
    errors,
    limit: connectTimeout,
    runtime,
    explain: explainFirst(target, credentials),
  });
  return { client, close: () => client.disconnect() };
}

const templates = new WeakMap<NodeRedis['createClient'], NodeRedisCopy>();

/** The library makes a class for each client, for 0.1 s of a processor. Copies of one share it. */
function templateOf({ createClient }: NodeRedis): NodeRedisCopy {
  let template = templates.get(createClient);
  if (template === undefined) {
    template = createClient({ disableOfflineQueue: true, maintNotifications: 'disabled' });
    checkMajor(template);
    templates.set(createClient, template);
  }
  return template;
}

/** What connections are made with. */
interface Connections {
  /** What clients are copies of. */
  readonly template: NodeRedisCopy;
  readonly target: Target;
  readonly credentials: Credentials;
  readonly runtime: Runtime;
}

/** A client of one server, which is the master that Sentinels name where there are some. */
function serverOf(connections: Connections): OwnNodeRedis {
  const { target, credentials, runtime } = connections;
  const { kind, hosts, name = '', connectTimeout } = target;
  if (kind === 'server') return keptAt(connections, () => hosts[0]);
  // Sentinels that say nothing are passed over.
  const limit = Math.min(connectTimeout, 1_000);
  const create = async (sentinel: RedisHost): Promise<NodeRedisCopy> => {
    const { sentinelUsername: username, sentinelPassword: password, tls } = await credentials.ask();
    return createFor(connections, sentinel, { tls, ...given({ username, password }) });
  };
  return keptAt(connections, masterOf({ sentinels: hosts, name, limit, runtime, create }));
}

function clusterOf(connections: Connections): OwnClusterClient {
  const { hosts, connectTimeout } = connections.target;
  return ownCluster({
    seeds: hosts,
    runtime: connections.runtime,
    patience: Math.min(connectTimeout, 1_000),
    create: (host) =>
      Object.assign(
        keptAt(connections, () => host),
        { options: host },
      ),
  });
}

/** A client that keeps a connection to the host that `find` gives. */
function keptAt(
  connections: Connections,
  find: () => RedisHost | undefined | Promise<RedisHost | undefined>,
): OwnNodeRedis {
  const { target, credentials, runtime } = connections;
  const { db, connectTimeout, timeout } = target;
  return ownNodeRedis({
    runtime,
    timeout,
    connectTimeout,
    explain: (error) => credentials.explain(error),
    async create() {
      const host = await find();
      const { username, password, tls } = await credentials.ask();
      return createFor(connections, host, { tls, ...given({ username, password, database: db }) });
    },
  });
}

/** A client of the library for one connection. */
function createFor(
  { template, target: { connectionName, family, connectTimeout } }: Connections,
  host: RedisHost | undefined,
  { tls, ...shown }: { readonly tls: object | undefined },
): NodeRedisCopy {
  const place = host === undefined ? {} : placeOf(host);
  return template.duplicate({
    socket: {
      ...tls,
      ...given({ family }),
      ...place,
      tls: tls !== undefined,
      connectTimeout,
      reconnectStrategy: false,
    },
    ...shown,
    ...given({ name: connectionName }),
  });
}
