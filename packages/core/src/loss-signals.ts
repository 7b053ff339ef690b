/**
 * One listener per session, however many leases it carries: each signal is listened to once, and tells all its followers.
 */
export class LossSignals<Follower extends { sessionLost(): void }> {
  readonly #followers = new WeakMap<AbortSignal, Set<Follower>>();

  follow(signal: AbortSignal, follower: Follower): void {
    if (signal.aborted) {
      // Not at once: the lease is still being made.
      queueMicrotask(() => follower.sessionLost());
      return;
    }
    const known = this.#followers.get(signal);
    if (known !== undefined) {
      known.add(follower);
      return;
    }
    const followers = new Set([follower]);
    this.#followers.set(signal, followers);
    signal.addEventListener(
      'abort',
      () => {
        for (const lost of followers) lost.sessionLost();
        followers.clear();
      },
      { once: true },
    );
  }

  unfollow(signal: AbortSignal, follower: Follower): void {
    this.#followers.get(signal)?.delete(follower);
  }
}
