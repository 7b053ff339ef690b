import { randomUUID } from 'node:crypto';
import { startEtcd, startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import { createZookeeperProvider } from '@locks/zookeeper';
import type { Addresses } from './addresses.ts';
import { openDatabases } from './databases.ts';

/** The servers that the programs of the documentation connect to. */
export interface Servers {
  /** Of the program with this number. */
  addresses(program: number): Addresses;
  /**
   * Makes the databases and the chroot that `source` connects to; `source` has the addresses of the
   * program.
   */
  prepare(program: number, source: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const [redis, postgres, mariadb, zookeeper, etcd] = await Promise.all([
    startRedis({ args: ['--databases', '8192'] }),
    startPostgres(),
    startMariadb(),
    startZookeeper(),
    startEtcd(),
  ]);
  const groups = [openDatabases(postgres.url), openDatabases(mariadb.url)] as const;
  const zookeeperServer = `${zookeeper.host}:${zookeeper.port}`;
  const chroot = `/docs-${randomUUID().slice(0, 8)}`;
  return {
    addresses(program) {
      const [inPostgres, inMariadb] = groups;
      return {
        // A lock of one program is in the way of a migration of another one.
        redis: (database) => `${redis.url}/${4 * program + database}`,
        postgres: inPostgres.url(`${program}`),
        mysql: inMariadb.url(`${program}`),
        zookeeper: `${zookeeperServer}${chroot}-${program}`,
        etcd: `${etcd.host}:${etcd.port}/docs-${program}`,
      };
    },
    async prepare(program, source) {
      for (const group of groups) {
        if (source.includes(group.url(`${program}`))) await group.create(`${program}`);
      }
      if (source.includes(`${chroot}-${program}`)) await makeNode(zookeeperServer, `${chroot}-${program}`);
    },
    async stop() {
      for (const group of groups) await group.remove();
      for (const server of [redis, postgres, mariadb, zookeeper, etcd]) await server.stop();
    },
  };
}

/** A node that is open to all users. */
async function makeNode(servers: string, root: string): Promise<void> {
  const provider = createZookeeperProvider({ servers, root, acl: 'open' });
  await provider.connect(10_000);
  await provider.close();
}
