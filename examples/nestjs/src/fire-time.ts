import { Cron } from 'croner';

/** Timers may be early by so many ms. With more, a call that is late may name the next round. */
const early = 500;

/** The time that a schedule names for the round of `now`: its last one. */
export function fireTime(expression: string, timeZone: string, now = Date.now()): Date {
  return new Cron(expression, { timezone: timeZone }).previousRuns(1, new Date(now + early))[0] as Date;
}
