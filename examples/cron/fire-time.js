import { Cron } from 'croner';

/** Timers may be early by 500 ms. With more, a late call may name the next round. */
const early = 500;

/** The time that a schedule names for the round of `now`: its last one. */
export function fireTime(expression, timeZone, now = Date.now()) {
  return new Cron(expression, { timezone: timeZone }).previousRuns(1, new Date(now + early))[0];
}
