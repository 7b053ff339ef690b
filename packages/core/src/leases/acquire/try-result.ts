/** What `tryWithLock` came to: whether `work` ran under the lock, and then what it resolved to. */
export type TryResult<T> =
  | {
      readonly held: true;
      /** What `work` resolved to. */
      readonly value: T;
    }
  | { readonly held: false };
