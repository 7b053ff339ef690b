import type { WallClocks } from '../../support/wall-clocks.ts';

/** Options of `startRedisSentinel`. */
export interface RedisSentinelOptions {
  /** @default 3 */
  readonly sentinels?: number;
  /** @default 2 */
  readonly replicas?: number;
  /**
   * In ms: a server that is silent for this long is down. With less, servers fail on a busy
   * machine. @default 1_000
   */
  readonly downAfter?: number;
  /** Gives each server and each Sentinel a second port, with TLS. @default false */
  readonly tls?: boolean;
  /** Further arguments of each `redis-server`, but not of the Sentinels. @default [] */
  readonly args?: readonly string[];
  /** Gives each server, but no Sentinel, an adjustable clock. @default none */
  readonly clocks?: WallClocks | undefined;
}
