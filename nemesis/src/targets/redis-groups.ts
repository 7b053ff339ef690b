import { setTimeout as sleep } from 'node:timers/promises';
import { startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import type { RedisCluster, RedisSentinel, ServerHandle } from '@locks/test-servers';
import { type Data, type FaultOf, type ListedTarget, list } from './listed.ts';
import { type Processes, kill, nth, pause } from './processes.ts';
import { byCommands } from './redis-faults.ts';
import { options, ttl } from './redis.ts';

interface Watched extends Processes {
  readonly set: RedisSentinel;
}

interface Clustered extends Processes {
  readonly cluster: RedisCluster;
}

const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];
const application = { adapters: ['redis'], modules: ['ioredis'] } as const;

/** The other servers elect a new master, which takes some seconds. */
const recovery = 8_000;

/** Names of keys in the moved slot. */
const keyOf = (number: number): string => `{locks:${'abcdefgh'[number % 8] ?? 'a'}}`;

type Act = (master: ServerHandle) => Promise<void>;

function ofMaster(lossy: boolean, harm: Act, mend: Act): FaultOf<Watched> {
  return {
    targets: 1,
    lasts: [1, 3],
    recovery,
    empties: lossy,
    async begin({ set }) {
      const master = await set.master();
      await harm(master);
      return async () => {
        await mend(master);
        await set.settled();
      };
    },
  };
}

/** A master that was followed grants too, until it follows: the fault lasts until then. */
const sentinelFaults = (lossy: boolean): Readonly<Record<string, FaultOf<Watched>>> => ({
  'server-pause': { ...pause, empties: lossy, recovery },
  failover: {
    targets: 1,
    lasts: [0, 0],
    recovery,
    empties: lossy,
    async begin({ set }) {
      await set.failOver();
      await set.settled();
    },
  },
  'master killed': ofMaster(
    lossy,
    (master) => master.kill(),
    (master) => master.restart(),
  ),
  'replica replaced': {
    targets: 1,
    lasts: [0, 0.5],
    recovery,
    async begin({ set }) {
      const master = await set.master();
      const replica = set.servers.find((server) => server !== master);
      await replica?.kill();
      return async () => {
        await replica?.restart({ keepData: false });
        await set.settled();
      };
    },
  },
  'master stands still': ofMaster(
    lossy,
    (master) => master.pause(),
    (master) => master.resume(),
  ),
});

function withSentinels(name: string, topology: string, replicas: number, more: Data, lossy: boolean): ListedTarget {
  const own = { ...options, ...more };
  return list<Watched>({
    name,
    store: 'redis',
    topology,
    ...application,
    healing: 6_000,
    ttl,
    async start() {
      const set = await startRedisSentinel({ replicas, args: durable });
      return { set, handles: [...set.sentinels, ...set.servers], stop: () => set.stop() };
    },
    servers: ({ handles }) => handles,
    openings: {
      url: () => ({
        args: { url: 'redis+sentinel://{host}:{port},{host:1}:{port:1},{host:2}:{port:2}/main', ttl, options: own },
      }),
      ioredis: ({ handles, set }) => ({
        module: 'ioredis',
        args: { ttl, options: own, ports: handles.map(({ port }) => port), sentinels: set.sentinels.length },
        settings: { enableOfflineQueue: [true, false], maxRetriesPerRequest: [0, 20] },
      }),
    },
    faults: sentinelFaults(lossy),
  });
}

const clusterFaults: Readonly<Record<string, FaultOf<Clustered>>> = {
  // A replica that becomes the master lacks the latest grants.
  'server-pause': { ...pause, empties: true, recovery },
  'server-restart': { ...kill, empties: true, recovery },
  failover: {
    targets: 1,
    lasts: [0, 0],
    recovery,
    async begin({ cluster }, _, amount) {
      const [replica] = await cluster.replicasOf(await cluster.masterOf(keyOf(amount)));
      if (replica !== undefined) await cluster.failOver(replica);
    },
  },
  // Killed, and its replica follows it, as above.
  'node replaced': {
    lasts: [0, 0],
    empties: true,
    recovery,
    begin: (servers, server) => servers.cluster.replace(nth(servers, server)),
  },
  'slot moves': {
    targets: 1,
    recovery,
    async begin({ cluster }, _, amount) {
      const key = keyOf(Math.floor(amount));
      const from = await cluster.masterOf(key);
      const to = (await cluster.masters()).find((master) => master !== from);
      if (to === undefined) return;
      const move = await cluster.moveSlotOf(key, to);
      return async () => {
        // Keys created meanwhile go to the target.
        while ((await move.moveKeys(2)) > 0) await sleep(5);
        await move.end();
      };
    },
  },
  'cut off': {
    lasts: [1, 4],
    recovery,
    empties: true,
    async begin({ cluster }, server) {
      const node = cluster.nodes[server];
      const end = node === undefined ? undefined : cluster.partition(node);
      return async () => end?.();
    },
  },
  'clients cut': byCommands['clients cut'],
};

export const redisGroupTargets: readonly ListedTarget[] = [
  withSentinels('redis-sentinel', 'three Sentinels, two replicas', 2, {}, true),
  // Each answer waits for the one server that can become the master.
  withSentinels('redis-replica', 'three Sentinels, one replica, minReplicas 1', 1, { minReplicas: 1 }, false),
  list<Clustered>({
    name: 'redis-cluster',
    store: 'redis',
    topology: 'Cluster, three masters with a replica each',
    ...application,
    healing: 6_000,
    ttl,
    async start() {
      const cluster = await startRedisCluster({ args: durable, partitions: true });
      return { cluster, handles: cluster.nodes, stop: () => cluster.stop() };
    },
    servers: ({ handles }) => handles,
    openings: {
      url: () => ({ args: { url: 'redis+cluster://{host}:{port},{host:1}:{port:1},{host:2}:{port:2}', ttl, options } }),
      ioredis: ({ handles }) => ({
        module: 'ioredis',
        args: { ttl, options, ports: handles.map(({ port }) => port) },
        settings: { enableAutoPipelining: [false, true] },
      }),
    },
    faults: clusterFaults,
  }),
];
