import type { AbortFollower, AbortFollowers } from '@locks/core/composite';

interface Followed {
  readonly signal: AbortSignal;
  readonly follower: AbortFollower;
}

/** The sessions that one lease depends on, by member, and the signal of its loss. */
export class Sessions {
  readonly #signals: AbortFollowers;
  readonly #gone: (member: number) => void;
  readonly #followed = new Map<number, Followed>();
  #lost: AbortController | undefined = undefined;
  #ended: { readonly member: number; readonly reason: unknown } | undefined = undefined;

  /** Calls `gone` when the session of a member has ended. */
  constructor(signals: AbortFollowers, gone: (member: number) => void) {
    this.#signals = signals;
    this.#gone = gone;
  }

  /** No member has one. */
  get none(): boolean {
    return this.#followed.size === 0;
  }

  /** Why the last one ended. */
  get reason(): unknown {
    return this.#ended?.reason;
  }

  /** Whose session ended last. */
  get endedLast(): number | undefined {
    return this.#ended?.member;
  }

  /** Aborts when the lease has ended involuntarily. */
  get lost(): AbortSignal {
    // What was lost may be granted again.
    if (this.#lost === undefined || this.#lost.signal.aborted) this.#lost = new AbortController();
    return this.#lost.signal;
  }

  /** The lease has ended. */
  end(reason: unknown): void {
    this.#lost?.abort(reason);
  }

  /** Follows the end of the member's session. The signal of the last grant counts. */
  follow(member: number, signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#followed.get(member)?.signal === signal) return;
    this.unfollow(member);
    const follower = {
      aborted: (): void => {
        this.#followed.delete(member);
        this.#ended = { member, reason: signal.reason };
        this.#gone(member);
      },
    };
    this.#followed.set(member, { signal, follower });
    this.#signals.follow(signal, follower);
  }

  /** Stops following, and returns the signal. */
  unfollow(member: number): AbortSignal | undefined {
    const followed = this.#followed.get(member);
    if (followed === undefined) return undefined;
    this.#followed.delete(member);
    this.#signals.unfollow(followed.signal, followed.follower);
    return followed.signal;
  }
}
