import { redisCommand, startRedis, startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { stopAfterTest } from './over.ts';

/** Servers with a user called `locker`, whose password is `old`. */
export interface Deployed {
  /** The URL, with `user` (`locker:old`) or without one. */
  readonly urlOf: (user?: string) => string;
  /** Sends a command to each server. */
  everywhere(name: string, ...args: readonly string[]): Promise<void>;
}

/** Each form of deployment. It ends with the test. */
export const deployments: readonly (readonly [name: string, start: () => Promise<Deployed>])[] = [
  [
    'one server',
    async () => {
      const server = await stopAfterTest(startRedis());
      return await withUser([server], server.url);
    },
  ],
  [
    'Sentinels',
    async () => {
      const set = await stopAfterTest(startRedisSentinel());
      return await withUser(set.servers, set.url);
    },
  ],
  [
    'a Cluster',
    async () => {
      const cluster = await stopAfterTest(startRedisCluster({ replicas: 0 }));
      const hosts = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
      return await withUser(cluster.nodes, `redis+cluster://${hosts}`);
    },
  ],
];

async function withUser(servers: readonly ServerHandle[], url: string): Promise<Deployed> {
  const everywhere: Deployed['everywhere'] = async (name, ...args) => {
    await Promise.all(servers.map((server) => redisCommand(server, name, ...args)));
  };
  await everywhere('ACL', 'SETUSER', 'locker', 'on', '>old', '~*', '&*', '+@all');
  return { everywhere, urlOf: (user) => (user === undefined ? url : url.replace('://', `://${user}@`)) };
}
