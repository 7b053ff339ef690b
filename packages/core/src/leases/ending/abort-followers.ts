/** A lease or an acquisition that ends when a signal aborts. */
export interface AbortFollower {
  /** Called once, when `signal` aborts. */
  aborted(signal: AbortSignal): void;
}

/**
 * One listener per signal, for all its followers: all leases of a process may share one session,
 * and one shutdown signal may end thousands of waits. The listener is removed with the last
 * follower.
 */
export class AbortFollowers {
  readonly #followed = new WeakMap<
    AbortSignal,
    { readonly followers: Set<AbortFollower>; readonly listener: () => void }
  >();

  /** Calls `follower` when `signal` aborts; not if it has aborted already. */
  follow(signal: AbortSignal, follower: AbortFollower): void {
    const known = this.#followed.get(signal);
    if (known !== undefined) {
      known.followers.add(follower);
      return;
    }
    const followers = new Set([follower]);
    const listener = (): void => {
      this.#followed.delete(signal);
      for (const each of followers) each.aborted(signal);
    };
    this.#followed.set(signal, { followers, listener });
    signal.addEventListener('abort', listener, { once: true });
  }

  /** Ends `follow`. */
  unfollow(signal: AbortSignal, follower: AbortFollower): void {
    const known = this.#followed.get(signal);
    if (known === undefined || !known.followers.delete(follower) || known.followers.size > 0) return;
    this.#followed.delete(signal);
    signal.removeEventListener('abort', known.listener);
  }
}
