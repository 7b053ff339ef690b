import type { Program } from './programs.ts';

/** Where a program finds its servers. The databases are its own. A URL of none of them stays. */
export interface Addresses {
  readonly redis: (database: number) => string;
  readonly postgres: string;
  readonly mysql: string;
  /** Host, port, and a chroot of its own. */
  readonly zookeeper: string;
  /** Host, port, and a prefix of its own. */
  readonly etcd: string;
}

// The path is the database.
const patterns: Readonly<Record<'postgres' | 'mysql', RegExp>> = {
  postgres: /\bpostgres(?:ql)?:\/\/[^?#\s'"`$]+/g,
  mysql: /\b(?:mysql|mariadb):\/\/[^?#\s'"`$]+/g,
};

const redisUrl = /\bredis:\/\/[^/?#\s'"`$]+(?:\/(\d+))?/g;
// Whose nodes they are is said by the user, so that stays.
const zookeeperUrl = /(\bzookeeper:\/\/(?:[^@/?#\s'"`$]*@)?)[^?#\s'"`$]+/g;
const zookeeperServers = /(\bservers: ')[^']+/g;
// The user is left out: the server has none.
const etcdUrl = /\betcd:\/\/[^?#\s'"`$]+/g;
/** Of node-zookeeper-client. Without the chroot: paths are whole. */
const zookeeperClient = /(\bcreateClient\(')[^']+/g;

/** Points the URLs in a program at these servers, and clients made without an address. */
export function connectTo(program: Program, addresses: Partial<Addresses>): Program {
  const { redis, zookeeper, etcd } = addresses;
  let { source } = program;
  if (redis !== undefined) {
    source = source.replaceAll('new Redis()', () => `new Redis(${JSON.stringify(redis(0))})`);
    source = source.replaceAll(redisUrl, (_, database: string | undefined) => redis(Number(database ?? 0)));
  }
  for (const name of ['postgres', 'mysql'] as const) {
    const url = addresses[name];
    if (url !== undefined) source = source.replaceAll(patterns[name], () => url);
  }
  if (zookeeper !== undefined) {
    for (const pattern of [zookeeperUrl, zookeeperServers]) {
      source = source.replaceAll(pattern, (_, before: string) => before + zookeeper);
    }
    const [server = ''] = zookeeper.split('/');
    source = source.replaceAll(zookeeperClient, (_, before: string) => before + server);
  }
  if (etcd !== undefined) source = source.replaceAll(etcdUrl, () => `etcd://${etcd}`);
  return { ...program, source };
}
