import type { WallClocks } from '../../support/wall-clocks.ts';

/** Options of `startRedisCluster`. */
export interface RedisClusterOptions {
  /** @default 3 */
  readonly masters?: number;
  /** Of each master. @default 1 */
  readonly replicas?: number;
  /** Gives each server a second port, with TLS. @default false */
  readonly tls?: boolean;
  /** Enables `partition`: nodes reach each other through relays in this process. @default false */
  readonly partitions?: boolean;
  /** Further arguments of each `redis-server`. @default [] */
  readonly args?: readonly string[];
  /** Gives each node an adjustable clock. @default none */
  readonly clocks?: WallClocks | undefined;
}
