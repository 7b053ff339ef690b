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
 * Calls `silent` at `at`, in ms of the clock, unless it is cancelled before. After a blocked event
 * loop, or a stopped process, an answer may be there unread: it has another moment then.
 */
export function scheduleSilence(timers: TimerWheel, at: number, silent: () => void): TimerEntry {
  const end = Math.ceil(at / slack) * slack;
  let late = false;
  const entry: TimerEntry = {
    timerPrevious: undefined,
    timerNext: undefined,
    due(now) {
      if (late || now <= end + 2 * slack) {
        silent();
        return;
      }
      late = true;
      timers.schedule(entry, now + slack);
    },
  };
  timers.schedule(entry, end);
  return entry;
}
