export type { ServerAddress } from './address.ts';
export type { RestartOptions, ServerHandle } from './handle.ts';
export { type RedisServerOptions, startRedis } from './redis.ts';
