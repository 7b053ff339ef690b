/**
 * How each peer waits: without limit if it can, with the delays in its own documentation.
 * `--retry-delay` replaces the delays of all of them.
 */
export const retrySettings = {
  /** "acquireTimeout", "retryInterval" of its README; the former is 10 s by default. */
  redisSemaphore: { acquireTimeout: Infinity, retryInterval: 10 },
  /**
   * "With retryCount=-1 there will be unlimited retries"; delays of the configuration example in
   * the README.
   */
  redlock: { retryCount: -1, retryDelay: 200, retryJitter: 200 },
  /** The same text and example as redlock's. */
  sesamecare: { retryCount: -1, retryDelay: 200, retryJitter: 200 },
  /** Unlimited attempts are not supported; "retryDelay: default 100 ms". */
  redlockUniversal: { retryAttempts: 1_000_000, retryDelay: 100 },
} as const;
