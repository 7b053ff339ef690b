import {
  expired,
  selfSigned,
  startEtcd,
  startPostgres,
  startRedis,
  startTlsFront,
  startZookeeper,
} from '@locks/test-servers';
import type { ServerHandle, TlsFront } from '@locks/test-servers';
import { ttl as etcdTtl, leftovers as etcdLeftovers, options as etcdOptions } from './etcd.ts';
import { type Data, type FaultOf, type ListedTarget, type Place, list } from './listed.ts';
import { type Processes, kill, ofOne, together } from './processes.ts';
import { durable, leftovers as redisLeftovers, options as redisOptions, ttl as redisTtl } from './redis.ts';
import { options as sqlOptions, sqlServer, ttl as sqlTtl } from './sql-server.ts';
import { can as zookeeperCan, leftovers as zookeeperLeftovers, ofServer, tickTime } from './zookeeper.ts';

const ca = selfSigned.cert;

/** A server behind TLS, where each side verifies the other. */
interface Encrypted extends Processes {
  readonly front: TlsFront;
  /** Its scheme and its user are those of the clients. */
  readonly url: URL;
}

async function encrypted(server: ServerHandle, url: string = server.url): Promise<Encrypted> {
  const front = await startTlsFront(url, { requestCert: true, rejectUnauthorized: true, ca });
  const running = together([server]);
  const stop = async (): Promise<void> => {
    await front.stop();
    await running.stop();
  };
  return { ...running, stop, front, url: new URL(url) };
}

/** The certificate of the server is renewed too late. */
const certificateExpired: FaultOf<Encrypted> = {
  targets: 1,
  refuses: true,
  async begin({ front }) {
    front.renew(expired);
    return async () => front.renew(selfSigned);
  },
};

interface OfStore {
  readonly store: string;
  readonly adapter: string;
  readonly modules: readonly string[];
  readonly ttl: number;
  readonly options: Data;
  start(): Promise<Encrypted>;
  readonly can?: typeof zookeeperCan;
  readonly leftovers?: (servers: Processes) => Promise<readonly string[]>;
}

function target({ store, adapter, options, start, ttl, ...more }: OfStore): ListedTarget {
  const place: Place = { name: `${store}-tls`, store, topology: 'one server, TLS with client certificates' };
  return list<Encrypted>({
    ...place,
    ...more,
    adapters: [adapter],
    fair: true,
    // As of the plain ones, and a handshake.
    healing: 3_000,
    ttl,
    start,
    servers: ({ front }) => [{ host: '127.0.0.1', port: front.port }],
    openings: {
      url: ({ url: { protocol, username, password, pathname } }) => {
        const scheme = adapter === 'redis' || adapter === 'etcd' ? protocol.replace(':', 's:') : protocol;
        const user = username === '' ? '' : `${username}:${password}@`;
        return {
          args: {
            url: `${scheme}//${user}localhost:{port}${pathname}`,
            ttl,
            options: { ...options, tls: { ca, ...selfSigned } },
          },
          settings: { timeout: [1_000, 2_000] },
        };
      },
    },
    faults: {
      'server-pause': ofOne['server-pause'],
      'server-restart': kill,
      'certificate expired': certificateExpired,
    },
  });
}

export const encryptedTargets: readonly ListedTarget[] = [
  target({
    store: 'redis',
    adapter: 'redis',
    modules: ['ioredis'],
    ttl: redisTtl,
    options: redisOptions,
    start: async () => await encrypted(await startRedis({ args: durable })),
    leftovers: redisLeftovers,
  }),
  target({
    store: 'postgres',
    adapter: 'sql',
    modules: ['pg'],
    ttl: sqlTtl,
    options: sqlOptions,
    async start() {
      const server = await startPostgres();
      return await encrypted(server, (await sqlServer('postgres', server)).url);
    },
  }),
  target({
    store: 'etcd',
    adapter: 'etcd',
    modules: ['@bufbuild/protobuf', '@grpc/grpc-js'],
    ttl: etcdTtl,
    options: etcdOptions,
    start: async () => await encrypted(await startEtcd()),
    leftovers: etcdLeftovers,
  }),
  target({
    store: 'zookeeper',
    adapter: 'zookeeper',
    modules: [],
    ttl: ofServer,
    options: { acl: 'open', timeout: 2_000, sessionTimeout: ofServer },
    can: zookeeperCan,
    start: async () => await encrypted(await startZookeeper({ tickTime })),
    leftovers: zookeeperLeftovers,
  }),
];
