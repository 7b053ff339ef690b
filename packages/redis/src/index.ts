export type { RedisClient, RedisSubscriber, SubscriberOptions } from './client.ts';
export { fromConfig } from './config.ts';
export type { RedisConfigOptions } from './config.ts';
export { createRedisGuard, fromFenceReply } from './guard.ts';
export type { RedisGuard, RedisGuardOptions } from './guard.ts';
export type { RedisOptions } from './options.ts';
export { createRedisProvider } from './create-provider.ts';
export { fenceLua } from './scripts.ts';
