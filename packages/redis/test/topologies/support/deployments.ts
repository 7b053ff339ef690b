import { redisCommand, startRedis, startRedisCluster, startRedisSentinel, wallClocks } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { stopAfterTest } from '../../support/over.ts';
import { closeAfterTest, eventually } from '../../support/redis.ts';

/** Redis as it is deployed, for one test. */
export interface Deployment {
  readonly url: string;
  /** The server that has the lock. An event happens to it. */
  readonly master: ServerHandle;
  /** The other members of the quorum. They have the lock too. */
  readonly others: readonly ServerHandle[];
  /** Sets the offset of the clock of the server, in ms. */
  putClock?(off: number): Promise<void>;
  /** Where another server follows the master. */
  readonly failover?: Failover;
}

/** A failover to a server that has no copy of the lock. */
interface Failover {
  readonly replicas: readonly ServerHandle[];
  /** Resolves when another server is the master. */
  followed(): Promise<unknown>;
  /** Cuts the master off from the other servers, but not from its clients. */
  cutOff(): Promise<void>;
}

export async function oneServer(): Promise<Deployment> {
  const clocks = await wallClocks();
  onTestFinished(() => clocks[Symbol.asyncDispose]());
  // It keeps its data where a test asks for that, or saves them.
  const master = await stopAfterTest(startRedis({ clocks }));
  return { url: master.url, master, others: [], putClock: (off) => clocks.put(master, off) };
}

/** The lock is at each of the servers. What happens, happens to the first of them. */
export async function quorumOfThree(): Promise<Deployment> {
  const [first, ...rest] = [await oneServer(), await oneServer(), await oneServer()] as const;
  const hosts = [first, ...rest].map(({ url }) => new URL(url).host).toSorted();
  return { ...first, others: rest.map(({ master }) => master), url: `redlock://${hosts.join(',')}` };
}

/** The user of the clients. Replicas and Sentinels come as the user `default`. */
const app = { username: 'app', password: 'secret' };
const appArgs = ['--user', app.username, 'on', `>${app.password}`, '~*', '&*', '+@all'];

/** `limited`: with a limit for writes that no replica hears of. */
export async function withSentinels(limited: boolean): Promise<Deployment> {
  const limit = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'];
  const set = await stopAfterTest(startRedisSentinel({ args: [...appArgs, ...(limited ? limit : [])] }));
  const master = await set.master();
  return {
    url: set.url.replace('//', `//${app.username}:${app.password}@`),
    master,
    others: [],
    failover: {
      replicas: set.servers.filter((server) => server !== master),
      followed: () => set.masterAfter(master),
      async cutOff() {
        const client = closeAfterTest(new Redis({ host: master.host, port: master.port, ...app }));
        await client.call('ACL', 'SETUSER', 'default', 'off');
        await client.call('CLIENT', 'KILL', 'USER', 'default');
      },
    },
  };
}

/** `key` is the key of Redis that is the lock. */
export async function inCluster(key: string): Promise<Deployment> {
  const cluster = await stopAfterTest(startRedisCluster({ partitions: true }));
  const master = await cluster.masterOf(key);
  return {
    url: cluster.url,
    master,
    others: [],
    failover: {
      replicas: await cluster.replicasOf(master),
      followed: () => eventually('another master', async () => (await cluster.masterOf(key)) !== master, 30_000),
      cutOff: async () => void cluster.partition(master),
    },
  };
}

/**
 * Lets no copies reach the replicas of `master`, which takes writes all the same. Resolves to what
 * restores its limit, as soon as it misses them, and to what lets copies of another master through.
 */
export async function cutCopies(
  master: ServerHandle,
  replicas: readonly ServerHandle[],
): Promise<{ limit(): Promise<void>; allow(): Promise<void> }> {
  const limit = 'min-replicas-to-write';
  const [, least = '0'] = (await redisCommand(master, 'CONFIG', 'GET', limit)) as readonly string[];
  await configure([master], limit, '0');
  // The master has no password, and refuses one.
  await configure(replicas, 'masterauth', 'wrong');
  await redisCommand(master, 'CLIENT', 'KILL', 'TYPE', 'replica');
  return {
    limit: () => configure([master], limit, least),
    allow: () => configure(replicas, 'masterauth', ''),
  };
}

/** Sets an option of each of `servers`. */
async function configure(servers: readonly ServerHandle[], name: string, value: string): Promise<void> {
  await Promise.all(servers.map((server) => redisCommand(server, 'CONFIG', 'SET', name, value)));
}
