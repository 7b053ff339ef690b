import type { Clock, FoundTurn } from '@locks/core/adapter';

/** How often to poll besides the session that is woken, in ms. */
const seldom = 250;
/** The same after a poll has found a missed wake, as processes of another user cannot wake it. */
const often = 25;
/** How long that lasts, in ms. */
const remembered = 60_000;
/** A poll this long after a wake, in ms, was not caused by it. */
const wakeLasts = 50;

/** Whether this process is notified of its turns in time, judged by polls that find missed ones. */
export class ToldTurns {
  readonly #clock: Clock;
  /** Owners that were notified of a grant. Polls find them until their first renewal. */
  #told: ReadonlySet<string> = new Set();
  #wokenAt = -Infinity;
  #missedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How often to poll besides the session that is woken, in ms. */
  get lookInterval(): number {
    return this.#clock.now() - this.#missedAt < remembered ? often : seldom;
  }

  /** The session was woken, which causes a poll. */
  woken(): void {
    this.#wokenAt = this.#clock.now();
  }

  /** An answer has notified this owner of a grant. */
  tell(owner: string): void {
    this.#told = new Set([...this.#told, owner]);
  }

  /** The found turns that were not notified yet. */
  newOf(found: readonly FoundTurn[]): readonly FoundTurn[] {
    const told = this.#told;
    const given = found.filter(({ assigned }) => assigned !== undefined);
    this.#told = new Set(given.map(({ owner }) => owner));
    const news = found.filter(({ owner, assigned }) => assigned === undefined || !told.has(owner));
    const now = this.#clock.now();
    if (news.length > 0 && now - this.#wokenAt > wakeLasts) this.#missedAt = now;
    return news;
  }
}
