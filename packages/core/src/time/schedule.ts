import type { TimerEntry, TimerWheel } from './timer-wheel.ts';

/**
 * Silence may be told so many ms late, so that the calls of a while share one bucket of the timer
 * wheel. Twice as late, the event loop was blocked.
 */
const slack = 16;

/** Something to be done at `at`, in ms of the clock, unless it is cancelled before. */
export function schedule(timers: TimerWheel, at: number, due: () => void): TimerEntry {
  const entry: TimerEntry = { timerPrevious: undefined, timerNext: undefined, due };
  timers.schedule(entry, at);
  return entry;
}

/**
 * Is told at `at`, in ms of the clock, unless it is cancelled before. After a blocked event loop,
 * or a stopped process, an answer may be there unread: it has another moment then.
 */
export class Silence implements TimerEntry {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  readonly #timers: TimerWheel;
  readonly #end: number;
  readonly #silent: (() => void) | undefined;
  #late = false;

  constructor(timers: TimerWheel, at: number, silent?: () => void) {
    this.#timers = timers;
    this.#end = Math.ceil(at / slack) * slack;
    this.#silent = silent;
    timers.schedule(this, this.#end);
  }

  /** The time has come. */
  protected silent(): void {
    this.#silent?.();
  }

  due(now: number): void {
    if (this.#late || now <= this.#end + 2 * slack) {
      this.silent();
      return;
    }
    this.#late = true;
    this.#timers.schedule(this, now + slack);
  }

  cancel(): void {
    this.#timers.cancel(this);
  }
}

/** Calls `silent` as a `Silence` is told. */
export function scheduleSilence(timers: TimerWheel, at: number, silent: () => void): TimerEntry {
  return new Silence(timers, at, silent);
}
