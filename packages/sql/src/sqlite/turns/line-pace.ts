/** How often to look at a line that moves, in ms. */
const quickest = 5;
/** And at one that has not moved for two seconds or more. */
export const slowestPace = 100;
/** The part of the time without a move that a look may come late. */
const share = 1 / 20;

/**
 * How often this process looks whether it is its turn: the longer nothing has moved in its lines,
 * the less often.
 */
export class LinePace {
  #movedAt = 0;

  /** A waiter was served, or came first; `now` in µs. */
  moved(now: number): void {
    this.#movedAt = now;
  }

  /** The time until the next look, in ms. */
  interval(now: number): number {
    return Math.min(slowestPace, Math.max(quickest, ((now - this.#movedAt) / 1_000) * share));
  }
}
