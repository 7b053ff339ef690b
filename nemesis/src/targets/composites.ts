import type { Turn } from '@locks/conformance/nemesis';
import { initialise } from '@locks/redis';
import { redisCommand, startEtcd, startRedis, startZookeeper } from '@locks/test-servers';
import { Redis } from 'ioredis';
import * as etcd from './etcd.ts';
import { type Data, type ListedTarget, list } from './listed.ts';
import { type Kinds, durable, redisMember, sqlMember, sqlRevoked, withSql } from './members.ts';
import { type Processes, empty, kill, ofOne, pause, together } from './processes.ts';
import { byCommands, firstRevoked } from './redis-faults.ts';
import * as redis from './redis.ts';
import { can as zookeeperCan } from './zookeeper.ts';

const ttl = 1_000;

/** A majority has only exclusive locks. */
const exclusive = ({ mode, next }: Turn): boolean => mode === 'exclusive' && next !== 'downgrade';

/** Three that have lost nothing so far, and grant immediately. */
async function threeRedis(): Promise<Processes> {
  const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
  for (const { url } of servers) {
    const client = new Redis(url);
    await initialise(client);
    client.disconnect();
  }
  return together(servers);
}

/** Whether each has the record of the quorum, which is restored after it was emptied. */
async function allKnowQuorum({ handles }: Processes): Promise<boolean> {
  const found = await Promise.all(
    handles.map((server) => redisCommand(server, 'KEYS', '*:register:quorum').catch(() => [])),
  );
  return found.every((names) => (names as readonly string[]).length > 0);
}

const combined = (members: readonly Data[], more: Data = {}) => ({
  args: { provider: 'combine', ttl, options: { members, memberTimeout: 500, timeout: 2_000, ...more } },
  settings: { memberTimeout: [500, 1_000] },
});

/** Where both stores are needed. */
const oneRefuses = {
  'redis refuses': { ...firstRevoked, refuses: true },
  'postgres refuses': { ...sqlRevoked, refuses: true },
} as const;

export const compositeTargets: readonly ListedTarget[] = [
  list<Processes>({
    name: 'quorum',
    healing: redis.restartGuard,
    adapters: ['redis'],
    modules: ['ioredis'],
    store: 'redis',
    topology: 'three servers without disk, restartGuard',
    composite: 'majority',
    ttl,
    can: exclusive,
    start: threeRedis,
    servers: ({ handles }) => handles,
    openings: {
      url: () => combined([0, 1, 2].map((server) => redisMember(server, { restartGuard: redis.restartGuard }))),
    },
    // One by one loses its data, and no second one before the first grants again. A hold that had
    // just enough votes ends early.
    faults: {
      'server-pause': pause,
      'server-empty': { ...empty, weight: 2, doubles: false, recovery: 2 * redis.restartGuard, may: allKnowQuorum },
    },
  }),
  list<Kinds>({
    name: 'quorum-kinds',
    adapters: ['redis', 'sql', 'etcd'],
    modules: ['ioredis', 'pg', 'knex', '@bufbuild/protobuf', '@grpc/grpc-js'],
    store: 'redis, postgres, etcd',
    topology: 'one server each',
    composite: 'majority',
    ttl: etcd.ttl,
    can: exclusive,
    start: async () => await withSql(await startRedis({ args: durable }), await startEtcd()),
    servers: ({ handles }) => handles,
    openings: {
      url: ({ sql }) =>
        combined([redisMember(0), sqlMember(sql, 1), { url: 'etcd://{host:2}:{port:2}', options: etcd.options }]),
    },
    faults: {
      'server-pause': pause,
      'server-restart': { ...kill, recovery: 6_000 },
      'redis refuses': { ...firstRevoked, recovery: 6_000 },
      'postgres refuses': { ...sqlRevoked, recovery: 6_000 },
    },
  }),
  list<Kinds>({
    name: 'need-all',
    // Members whose registers could not be read are read again after this time.
    healing: 1_000,
    adapters: ['redis', 'sql'],
    modules: ['ioredis', 'pg', 'knex'],
    store: 'redis, postgres',
    topology: 'one server each',
    composite: 'all',
    sharersMayTie: true,
    ttl,
    start: async () => await withSql(await startRedis({ args: durable })),
    servers: ({ handles }) => handles,
    openings: { url: ({ sql }) => combined([redisMember(0), sqlMember(sql, 1)], { need: 'all', timeout: 6_000 }) },
    faults: { 'server-pause': pause, 'server-restart': kill, ...oneRefuses },
  }),
  // docs/migrating.md: three deploys, and the way back.
  list<Kinds>({
    name: 'deploys',
    healing: 1_000,
    adapters: ['redis', 'sql'],
    modules: ['ioredis', 'pg', 'knex'],
    store: 'redis, postgres',
    topology: 'one server each',
    composite: 'deploys',
    ttl,
    // In both stores each token is the higher one of two: that of two sharers may be the same.
    sharersMayTie: true,
    deploys: ['redis', 'both', 'postgres', 'both', 'redis'],
    start: async () => await withSql(await startRedis({ args: durable })),
    servers: ({ handles }) => handles,
    openings: {
      redis: () => ({ args: { ...redisMember(0), ttl } }),
      both: ({ sql }) => combined([redisMember(0), sqlMember(sql, 1)], { need: 'all', timeout: 6_000 }),
      postgres: ({ sql }) => ({ args: { ...sqlMember(sql, 1), ttl } }),
    },
    faults: oneRefuses,
  }),
  list<Processes>({
    name: 'wrapped',
    adapters: ['redis', 'opentelemetry'],
    modules: ['ioredis', '@opentelemetry/api'],
    store: 'redis',
    topology: 'one server, AOF always',
    composite: 'namespaced, telemetry',
    ttl,
    start: async () => together([await startRedis({ args: durable })]),
    servers: ({ handles }) => handles,
    openings: {
      namespaced: () => ({
        module: 'namespaced',
        args: { ttl, options: redis.options },
        settings: { telemetry: [false, true] },
      }),
    },
    faults: { ...ofOne, flush: byCommands.flush },
    leftovers: redis.leftovers,
  }),
  list<Processes>({
    name: 'quorum-zookeeper',
    adapters: ['redis', 'zookeeper'],
    modules: ['ioredis'],
    store: 'redis, redis, zookeeper',
    topology: 'one server each',
    composite: 'majority',
    ttl: 2_500,
    can: (turn) => exclusive(turn) && zookeeperCan(turn),
    start: async () =>
      together([
        await startRedis({ args: durable }),
        await startRedis({ args: durable }),
        await startZookeeper({ tickTime: 250 }),
      ]),
    servers: ({ handles }) => handles,
    openings: {
      url: () =>
        combined([
          redisMember(0),
          redisMember(1),
          { url: 'zookeeper://{host:2}:{port:2}', options: { acl: 'open', sessionTimeout: 2_500, timeout: 2_000 } },
        ]),
    },
    faults: {
      'server-pause': pause,
      'server-restart': { ...kill, recovery: 5_000 },
      'redis refuses': { ...firstRevoked, recovery: 5_000 },
    },
  }),
];
