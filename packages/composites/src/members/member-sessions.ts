import { LockError } from '@locks/core/adapter';
import type { AbortFollower, AbortFollowers } from '@locks/core/composite';

interface Followed {
  readonly signal: AbortSignal;
  readonly follower: AbortFollower;
}

/** The sessions that one claim's votes depend on, by member. */
export class MemberSessions {
  readonly #signals: AbortFollowers;
  readonly #gone: (member: number) => void;
  readonly #followed = new Map<number, Followed>();
  #lost: AbortController | undefined = undefined;
  /** Why the last one has ended. */
  #reason: unknown = undefined;

  /** Calls `gone` when the session of a member has ended. */
  constructor(signals: AbortFollowers, gone: (member: number) => void) {
    this.#signals = signals;
    this.#gone = gone;
  }

  /** Aborts when the lease has ended with a session. `undefined`: no member told one. */
  get lost(): AbortSignal | undefined {
    if (this.#followed.size === 0) return undefined;
    // What was lost may be granted again.
    if (this.#lost === undefined || this.#lost.signal.aborted) this.#lost = new AbortController();
    return this.#lost.signal;
  }

  /** The lease on `key` has ended. */
  end(key: string, why: string): void {
    this.#lost?.abort(new LockError('LOCK_LOST', why, { key, cause: this.#reason }));
  }

  /** Hears when the member's session ends. The signal of the last grant counts. */
  follow(member: number, signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#followed.get(member)?.signal === signal) return;
    this.unfollow(member);
    const follower = {
      aborted: (): void => {
        this.#followed.delete(member);
        this.#reason = signal.reason;
        this.#gone(member);
      },
    };
    this.#followed.set(member, { signal, follower });
    this.#signals.follow(signal, follower);
  }

  /** Gives the signal that was followed. */
  unfollow(member: number): AbortSignal | undefined {
    const followed = this.#followed.get(member);
    if (followed === undefined) return undefined;
    this.#followed.delete(member);
    this.#signals.unfollow(followed.signal, followed.follower);
    return followed.signal;
  }
}
