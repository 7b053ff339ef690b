import { redisCommand, startRedis, startRedisCluster, startRedisSentinel, wallClocks } from '@locks/test-servers';
import type { ServerHandle, SlotMove, WallClocks } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { closeAfterTest, eventually } from '../../support/redis.ts';
import { configure } from './configure.ts';
import { stopAfterTest } from '../../support/over.ts';

/** Redis as it is deployed, for one test. */
export interface Deployment {
  readonly url: string;
  /** The server that has the lock. An event happens to it. */
  master(): Promise<ServerHandle>;
  /** The other members of the quorum. They have the lock too. */
  readonly others: readonly ServerHandle[];
  /** Those that follow it. */
  replicas(): Promise<readonly ServerHandle[]>;
  /** Resolves when another server than `old` is the master. */
  followed(old: ServerHandle): Promise<unknown>;
  /** Lets one of `servers` become the master where there is a choice. */
  prefer(servers: readonly ServerHandle[]): Promise<void>;
  /** Makes another server the master, in order. */
  failOver(): Promise<void>;
  /** Cuts `server` off from the other servers, but not from its clients. */
  cutOff(server: ServerHandle): Promise<void>;
  /** Begins to move the slot of the lock. */
  moveSlot(): Promise<SlotMove>;
  /** Puts the clock of `server` off by so many ms. */
  putClock(server: ServerHandle, off: number): Promise<void>;
}

/** The key of Redis that is the lock. */
export const redisKey = 'locks:job';

/** What a test needs of its deployment. */
export interface Needs {
  readonly args?: readonly string[] | undefined;
  /** No other server becomes the master without a command. */
  readonly patient?: boolean | undefined;
  /** `cutOff` is used. */
  readonly cutOff?: boolean | undefined;
  /** `putClock` is used. */
  readonly clocks?: boolean | undefined;
}

/** In ms: longer than a test. */
const never = 300_000;

const impossible = (): Promise<never> => Promise.reject(new Error('This deployment cannot do that.'));

/** Clocks that end after the servers of the test. */
async function clocksFor({ clocks }: Needs): Promise<WallClocks | undefined> {
  if (clocks !== true) return undefined;
  const made = await wallClocks();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

export async function oneServer(needs: Needs): Promise<Deployment> {
  const clocks = await clocksFor(needs);
  const server = await stopAfterTest(startRedis({ args: needs.args ?? [], clocks }));
  return {
    url: server.url,
    master: async () => server,
    others: [],
    replicas: async () => [],
    followed: impossible,
    prefer: impossible,
    failOver: impossible,
    cutOff: impossible,
    moveSlot: impossible,
    putClock: clocks?.put ?? impossible,
  };
}

/** The lock is at each of the servers. What happens, happens to the first of them. */
export async function quorumOfThree(needs: Needs): Promise<Deployment> {
  const [first, second, third] = [await oneServer(needs), await oneServer(needs), await oneServer(needs)];
  const hosts = [first, second, third].map(({ url }) => new URL(url).host).toSorted();
  const others = [await second.master(), await third.master()];
  return { ...first, others, url: `redlock://${hosts.join(',')}` };
}

/** The user of the clients, where others are not let in any more. */
const app = { username: 'app', password: 'secret' };
const appArgs = ['--user', app.username, 'on', `>${app.password}`, '~*', '&*', '+@all'];

/** `args` are for every server, besides those of `needs`. */
export async function withSentinels(needs: Needs, args: readonly string[] = []): Promise<Deployment> {
  const clocks = await clocksFor(needs);
  const set = await stopAfterTest(
    startRedisSentinel({
      args: [...args, ...(needs.args ?? []), ...(needs.cutOff === true ? appArgs : [])],
      clocks,
      ...(needs.patient === true && { downAfter: never }),
    }),
  );
  return {
    url: needs.cutOff === true ? set.url.replace('//', `//${app.username}:${app.password}@`) : set.url,
    master: () => set.master(),
    others: [],
    async replicas() {
      const master = await set.master();
      return set.servers.filter((server) => server !== master);
    },
    followed: (old) => set.masterAfter(old),
    async prefer(servers) {
      await configure(servers, 'replica-priority', '1');
      await eventually('Sentinels that know it', async () => {
        const known = await Promise.all(set.sentinels.map(async (one) => await priorities(one, set.name)));
        return known.every((byPort) => servers.every(({ port }) => byPort.get(`${port}`) === '1'));
      });
    },
    async failOver() {
      // A Sentinel that is told to does not wait for the copy.
      const hasCopy = async (server: ServerHandle) => (await redisCommand(server, 'EXISTS', redisKey)) === 1;
      await eventually('copies of the lock', async () => (await Promise.all(set.servers.map(hasCopy))).every(Boolean));
      await set.failOver();
    },
    async cutOff({ host, port }) {
      // Replicas and Sentinels come as the user `default`.
      const client = closeAfterTest(new Redis({ host, port, ...app }));
      await client.call('ACL', 'SETUSER', 'default', 'off');
      await client.call('CLIENT', 'KILL', 'USER', 'default');
    },
    moveSlot: impossible,
    putClock: clocks?.put ?? impossible,
  };
}

/** The priorities of the replicas, by their ports. */
async function priorities(sentinel: ServerHandle, name: string): Promise<ReadonlyMap<string, string>> {
  const replicas = (await redisCommand(sentinel, 'SENTINEL', 'REPLICAS', name)) as readonly (readonly string[])[];
  return new Map(
    replicas.map((fields) => {
      const valueOf = (field: string): string => fields[fields.indexOf(field) + 1] ?? '';
      return [valueOf('port'), valueOf('slave-priority')];
    }),
  );
}

/** With a limit for writes that no replica hears of. */
export async function withSentinelsAndLimit(needs: Needs): Promise<Deployment> {
  return await withSentinels(needs, ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1']);
}

export async function inCluster(needs: Needs): Promise<Deployment> {
  const clocks = await clocksFor(needs);
  const cluster = await stopAfterTest(
    startRedisCluster({
      args: needs.args ?? [],
      clocks,
      partitions: needs.cutOff === true,
    }),
  );
  // Nodes that are patient from the start take long to know each other.
  if (needs.patient === true) await configure(cluster.nodes, 'cluster-node-timeout', `${never}`);
  const master = (): Promise<ServerHandle> => cluster.masterOf(redisKey);
  const replicas = async (): Promise<readonly ServerHandle[]> => await cluster.replicasOf(await master());
  return {
    url: cluster.url,
    master,
    others: [],
    replicas,
    followed: (old) => eventually('another master', async () => (await master()) !== old, 30_000),
    prefer: impossible,
    async failOver() {
      const [replica] = await replicas();
      if (replica === undefined) throw new Error('The master has no replica.');
      await cluster.failOver(replica);
    },
    cutOff: async (server) => void cluster.partition(server),
    async moveSlot() {
      const from = await master();
      const to = (await cluster.masters()).find((node) => node !== from);
      if (to === undefined) throw new Error('There is one master only.');
      return await cluster.moveSlotOf(redisKey, to);
    },
    putClock: clocks?.put ?? impossible,
  };
}
