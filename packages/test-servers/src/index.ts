export type { ServerAddress } from './address.ts';
export type { Program } from './definition.ts';
export type { RestartOptions, ServerHandle } from './handle.ts';
export { ensureProgram } from './install.ts';
export { type MariadbServerOptions, startMariadb } from './mariadb.ts';
export { type PostgresServerOptions, startPostgres } from './postgres.ts';
export type { Direction, Trap, TrapOptions, Way } from './proxy/conditions.ts';
export type { Target } from './proxy/dial.ts';
export type { Rewrite } from './proxy/link.ts';
export { type CutOptions, type Proxy, type ProxyOptions, startProxy } from './proxy/proxy.ts';
export { type RedisServerOptions, startRedis } from './redis.ts';
export type { ZookeeperOptions } from './zookeeper/definition.ts';
export type { ZookeeperEnsembleOptions } from './zookeeper/ensemble-settings.ts';
export { type ZookeeperEnsemble, startZookeeperEnsemble } from './zookeeper/ensemble.ts';
export { type FourLetterWord, fourLetterWord } from './zookeeper/four-letter-word.ts';
export { type ZookeeperMode, modeOf } from './zookeeper/mode.ts';
export { setSequence } from './zookeeper/sequence.ts';
export {
  type ZookeeperServerOptions,
  type ZookeeperTls,
  type ZookeeperTlsServer,
  startZookeeper,
} from './zookeeper/zookeeper.ts';
