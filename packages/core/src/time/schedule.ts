import type { TimerEntry, TimerWheel } from './timer-wheel.ts';

/**
 * How late silence may be reported, in ms, so that calls share a bucket of the timer wheel. Twice
 * as late, the event loop was blocked.
 */
const slack = 16;

/** Calls `due` at `at`, in ms of the clock, unless it is cancelled before. */
export function schedule(timers: TimerWheel, at: number, due: () => void): TimerEntry {
  const entry: TimerEntry = { timerPrevious: undefined, timerNext: undefined, due };
  timers.schedule(entry, at);
  return entry;
}

/**
 * Fires at `at`, in ms of the clock, unless it is cancelled before. After a blocked event loop, or
 * a stopped process, an answer may have arrived unread: it gets another moment then.
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

/** Calls `silent` when a `Silence` fires. */
export function scheduleSilence(timers: TimerWheel, at: number, silent: () => void): TimerEntry {
  return new Silence(timers, at, silent);
}
