import { randomUUID } from 'node:crypto';
import { startMariadb, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import type { Addresses } from './addresses.ts';
import { openDatabases } from './databases.ts';

/** The servers that the programs of the documentation connect to. */
export interface Servers {
  /** Of the program with this number. */
  addresses(program: number): Addresses;
  /** Makes the databases that `source` connects to; `source` has the addresses of the program. */
  prepare(program: number, source: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const [redis, postgres, mariadb, zookeeper] = await Promise.all([
    startRedis(),
    startPostgres(),
    startMariadb(),
    startZookeeper(),
  ]);
  const groups = [openDatabases(postgres.url), openDatabases(mariadb.url)] as const;
  // A chroot is made by whoever uses it, and is that user's: so not one below another.
  const chroot = `${zookeeper.host}:${zookeeper.port}/docs-${randomUUID().slice(0, 8)}`;
  return {
    addresses(program) {
      const [inPostgres, inMariadb] = groups;
      return {
        redis: redis.url,
        postgres: inPostgres.url(`${program}`),
        mysql: inMariadb.url(`${program}`),
        zookeeper: `${chroot}-${program}`,
      };
    },
    async prepare(program, source) {
      for (const group of groups) {
        if (source.includes(group.url(`${program}`))) await group.create(`${program}`);
      }
    },
    async stop() {
      for (const group of groups) await group.remove();
      for (const server of [redis, postgres, mariadb, zookeeper]) await server.stop();
    },
  };
}
