import type { Program } from './programs.ts';

/** Where a program finds its servers. The databases are its own. */
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
export function connectTo(program: Program, addresses: Addresses): Program {
  let source = program.source.replaceAll('new Redis()', () => `new Redis(${JSON.stringify(addresses.redis(0))})`);
  source = source.replaceAll(redisUrl, (_, database: string | undefined) => addresses.redis(Number(database ?? 0)));
  for (const name of ['postgres', 'mysql'] as const) {
    source = source.replaceAll(patterns[name], () => addresses[name]);
  }
  for (const pattern of [zookeeperUrl, zookeeperServers]) {
    source = source.replaceAll(pattern, (_, before: string) => before + addresses.zookeeper);
  }
  source = source.replaceAll(etcdUrl, () => `etcd://${addresses.etcd}`);
  const [server = ''] = addresses.zookeeper.split('/');
  source = source.replaceAll(zookeeperClient, (_, before: string) => before + server);
  return { ...program, source };
}
