export type { ServerAddress } from './server/address.ts';
export { unusedPort } from './server/ports.ts';
export { closing } from './support/closing.ts';
export { collect } from './support/collect.ts';
export { eventually, untilAnswered } from './support/eventually.ts';
export { type Listener, listen } from './support/listen.ts';
export { selfSigned } from './support/self-signed.ts';
export { type WallClocks, wallClockOff, wallClocks } from './support/wall-clocks.ts';
export type { Program } from './server/definition.ts';
export type { RestartOptions, ServerHandle } from './server/handle.ts';
export { ensureProgram } from './local/install.ts';
export { type EtcdCluster, startEtcdCluster } from './etcd/cluster.ts';
export type { EtcdServerOptions } from './etcd/definition.ts';
export { startEtcd } from './etcd/etcd.ts';
export { type MariadbServerOptions, startMariadb } from './mariadb/mariadb.ts';
export { type PostgresServerOptions, startPostgres } from './postgres/postgres.ts';
export type {
  CutOptions,
  Direction,
  Proxy,
  ProxyOptions,
  Rewrite,
  Target,
  Trap,
  TrapOptions,
  Way,
} from '@locks/conformance/faults';
export { hostileReplies } from './proxy/hostile-replies.ts';
export { startProxy } from './proxy/start-proxy.ts';
export { type Handshake, type TlsFront, startTlsFront } from './proxy/tls-front.ts';
export { expired, ofElsewhere } from './support/certificates.ts';
export { otherSelfSigned } from './support/other-self-signed.ts';
export { redisCommand } from './redis/command.ts';
export { type RedisCluster, startRedisCluster } from './redis/cluster/cluster.ts';
export type { RedisClusterOptions } from './redis/cluster/options.ts';
export type { SlotMove } from './redis/cluster/slot-move.ts';
export { type RedisServerOptions, startRedis } from './redis/redis.ts';
export type { RedisSentinelOptions } from './redis/sentinel/options.ts';
export { type RedisSentinel, startRedisSentinel } from './redis/sentinel/sentinel.ts';
export type { TlsEntrance } from './redis/tls.ts';
export type { ZookeeperOptions } from './zookeeper/definition.ts';
export type { ZookeeperEnsembleOptions } from './zookeeper/ensemble/ensemble-settings.ts';
export { type ZookeeperEnsemble, startZookeeperEnsemble } from './zookeeper/ensemble/ensemble.ts';
export { type FourLetterWord, fourLetterWord } from './zookeeper/four-letter-word.ts';
export { type ZookeeperMode, modeOf } from './zookeeper/mode.ts';
export { setSequence } from './zookeeper/sequence.ts';
export {
  type ZookeeperServerOptions,
  type ZookeeperTls,
  type ZookeeperTlsServer,
  startZookeeper,
} from './zookeeper/zookeeper.ts';
