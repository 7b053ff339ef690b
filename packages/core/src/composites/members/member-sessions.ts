import type { AbortFollower, AbortFollowers } from '../../locks/ending/abort-followers.ts';

interface Followed {
  readonly signal: AbortSignal;
  readonly follower: AbortFollower;
}

/** The sessions that one claim's votes depend on, by member. */
export class MemberSessions {
  readonly #signals: AbortFollowers;
  readonly #gone: (member: number) => void;
  readonly #followed = new Map<number, Followed>();

  /** Calls `gone` when the session of a member has ended. */
  constructor(signals: AbortFollowers, gone: (member: number) => void) {
    this.#signals = signals;
    this.#gone = gone;
  }

  /** How many members have told a session. */
  get size(): number {
    return this.#followed.size;
  }

  /** Hears when the member's session ends. */
  follow(member: number, signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#followed.has(member)) return;
    const follower = {
      aborted: (): void => {
        this.#followed.delete(member);
        this.#gone(member);
      },
    };
    this.#followed.set(member, { signal, follower });
    this.#signals.follow(signal, follower);
  }

  unfollow(member: number): void {
    const followed = this.#followed.get(member);
    if (followed === undefined) return;
    this.#followed.delete(member);
    this.#signals.unfollow(followed.signal, followed.follower);
  }
}
