/**
 * The few members used of a client of `redis` (node-redis 6.1), as `createClient()` returns it. It
 * is not changed, and never closed.
 */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  /** How many connections it has opened. */
  readonly socketEpoch: number;
  readonly options?: object | undefined;
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  duplicate(overrides?: object): NodeRedisCopy;
}

/** A copy of a client of node-redis, used until its connection ends. */
export interface NodeRedisCopy extends NodeRedisClient {
  connect(): Promise<unknown>;
  destroy(): void;
  unref(): void;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  on(event: string, listener: (error: Error) => void): unknown;
}
