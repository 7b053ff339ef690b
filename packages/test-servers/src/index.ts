export type { ServerAddress } from './address.ts';
export type { RestartOptions, ServerHandle } from './handle.ts';
export { type MariadbServerOptions, startMariadb } from './mariadb.ts';
export { type PostgresServerOptions, startPostgres } from './postgres.ts';
export type { Direction, Trap, TrapOptions, Way } from './proxy/conditions.ts';
export type { Target } from './proxy/link.ts';
export { type CutOptions, type Proxy, startProxy } from './proxy/proxy.ts';
export { type RedisServerOptions, startRedis } from './redis.ts';
export { ensureTool } from './tool.ts';
