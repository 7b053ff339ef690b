import type { AbortFollower, AbortFollowers } from '../../locks/ending/abort-followers.ts';

interface Followed {
  readonly signal: AbortSignal;
  readonly follower: AbortFollower;
}

/** The sessions that one claim's votes depend on, by member. */
export class MemberSessions {
  readonly #signals: AbortFollowers;
  readonly #gone: (member: number, reason: unknown) => void;
  readonly #followed = new Map<number, Followed>();

  /** Calls `gone` when the session of a member has ended, with the reason of its signal. */
  constructor(signals: AbortFollowers, gone: (member: number, reason: unknown) => void) {
    this.#signals = signals;
    this.#gone = gone;
  }

  /** How many members have told a session. */
  get size(): number {
    return this.#followed.size;
  }

  /** Hears when the member's session ends. The signal of the last grant counts. */
  follow(member: number, signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#followed.get(member)?.signal === signal) return;
    this.unfollow(member);
    const follower = {
      aborted: (): void => {
        this.#followed.delete(member);
        this.#gone(member, signal.reason);
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
