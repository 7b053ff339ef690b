import type { WallClocks } from '../../support/wall-clocks.ts';

/** Options of `startRedisCluster`. */
export interface RedisClusterOptions {
  /** @default 3 */
  readonly masters?: number;
  /** Of each master. @default 1 */
  readonly replicas?: number;
  /**
   * In ms: a node that was silent for so long is suspected, and a replica takes its place. With
   * less, a busy machine makes nodes fail that run. @default 1_000
   */
  readonly nodeTimeout?: number;
  /** Gives each server a second port, where clients need TLS. @default false */
  readonly tls?: boolean;
  /** Lets `partition` be used: nodes reach each other by relays in this process. @default false */
  readonly partitions?: boolean;
  /** Further arguments of each `redis-server`. @default [] */
  readonly args?: readonly string[];
  /** Gives each node a clock that can be put off. @default none */
  readonly clocks?: WallClocks | undefined;
}
