import type { Clock, FoundTurn } from '@locks/core/adapter';

/** How often to look beside the session that is woken, in ms. */
const seldom = 250;
/** And where a look has found what no wake told, as one of another user cannot wake it. */
const often = 25;
/** For so long after such a look, in ms. */
const remembered = 60_000;
/** A look so long after a wake, in ms, did not come of it. */
const wakeLasts = 50;

/** Whether this process hears of its turns in time, by what looks find that it was not told. */
export class ToldTurns {
  readonly #clock: Clock;
  /** Owners that were given a key, as they were told. They are found until their first renewal. */
  #told: ReadonlySet<string> = new Set();
  #wokenAt = -Infinity;
  #missedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In how many ms to look beside the session that is woken. */
  get lookInterval(): number {
    return this.#clock.now() - this.#missedAt < remembered ? often : seldom;
  }

  /** The session was woken: a look comes of it. */
  woken(): void {
    this.#wokenAt = this.#clock.now();
  }

  /** An answer told that this owner was given a key. */
  tell(owner: string): void {
    this.#told = new Set([...this.#told, owner]);
  }

  /** What a look has found that was not told yet. */
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
