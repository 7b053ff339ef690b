export type {
  RedisClient,
  RedisClusterClient,
  RedisNode,
  RedisSubscriber,
  ScriptClient,
  SubscriberOptions,
} from './wire/client.ts';
export type { AnyRedisClient } from './wire/servers.ts';
export { fromConfig } from './config.ts';
export type { RedisConfigOptions } from './config.ts';
export { diagnose } from './diagnose.ts';
export type { LibraryName } from './connect/libraries.ts';
export { createRedisGuard } from './guard.ts';
export type { RedisGuard, RedisGuardOptions } from './guard.ts';
export { initialise } from './initialise.ts';
export type { InitialiseOptions } from './initialise.ts';
export type { ForeignLibrary, RedisOptions } from './options/options.ts';
export { createRedisProvider } from './create-provider.ts';
export type { GivenClient } from './clients/given-client.ts';
export type { NodeRedisClient, NodeRedisCopy } from './clients/node-redis/client.ts';
export type { NodeRedisCluster, NodeRedisClusterNode } from './clients/node-redis/cluster.ts';
export type { AnyNodeRedis } from './clients/node-redis/kinds.ts';
export type { NodeRedisPool } from './clients/node-redis/pool.ts';
export type { NodeRedisSentinel } from './clients/node-redis/sentinel.ts';
export { fenceLua } from './wire/scripts.ts';
