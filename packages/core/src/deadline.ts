import { Calendar } from './calendar.ts';
import type { CalendarEntry } from './calendar.ts';
import { LockError } from './errors.ts';
import type { Runtime } from './runtime.ts';

/** Settles every call in time, whether its backend answers or not. */
export interface Deadline {
  /**
   * What `call` settles to, or `LOCK_UNAVAILABLE` after the timeout; `what` says in the message what was not answered.
   * A late answer is dropped, a late rejection too. A step of a longer call gets what is left of its time as `within`.
   */
  race<T>(call: Promise<T>, what: string, within?: number): Promise<T>;
  /** Stops the timer; calls that are under way settle with their backend only. */
  stop(): void;
}

/** Deadlines may be this many ms late, so that the calls of a while share one bucket of the calendar. */
const slack = 16;

/** One deadline for all calls of a provider: a timer per command costs more than the rest of the call. */
export function createDeadline(runtime: Runtime, timeout: number, backend: string): Deadline {
  const calendar = new Calendar(runtime, false);
  return {
    race<T>(call: Promise<T>, what: string, within: number = timeout): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const entry: CalendarEntry = {
          calendarPrevious: undefined,
          calendarNext: undefined,
          due: () =>
            reject(
              new LockError('LOCK_UNAVAILABLE', `${backend} did not answer ${what} within ${Math.round(within)} ms.`),
            ),
        };
        calendar.schedule(entry, Math.ceil((runtime.clock.now() + within) / slack) * slack);
        call.then(
          (answer) => {
            calendar.cancel(entry);
            resolve(answer);
          },
          (error: unknown) => {
            calendar.cancel(entry);
            reject(error);
          },
        );
      });
    },
    stop() {
      calendar.stop();
    },
  };
}
