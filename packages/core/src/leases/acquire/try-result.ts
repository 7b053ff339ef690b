/** What `tryWithLock` came to: whether `work` ran under the lock, and then what it resolved to. */
export type TryResult<T> = { readonly held: true; readonly value: T } | { readonly held: false };
