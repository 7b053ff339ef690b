/** Something held, by whatever library. */
export interface Held {
  release(): unknown;
}

/** One process's use of a lock library. */
export interface Party {
  /** Waits for the lock as long as it takes. A rejection is counted as a failure. */
  acquire(key: string): Promise<Held>;
  /**
   * Where a library has a queue: starts to note when the claims on `key` have certainly taken their
   * places.
   */
  watchPlaces?(key: string): Places;
}

/** When claims took their positions in the queue. */
export interface Places {
  /** Of the claim that became `held`; `Infinity` if it did not wait. */
  of(held: Held): number;
  /** Of the claims that still wait. */
  waiting(): number[];
}

/** How polling peers wait. */
export interface RetryOptions {
  /** Ms between attempts; `undefined`: what the peer's documentation gives. */
  readonly retryDelay: number | undefined;
}

/** How long every subject's locks live without a renewal, in ms: longer than any hold. */
export const ttl = 10_000;
