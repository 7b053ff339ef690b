import { scheduleSilence } from '../time/schedule.ts';
import { TimerWheel } from '../time/timer-wheel.ts';
import { LockError } from '../errors/lock-error.ts';
import type { Runtime } from '../time/runtime.ts';

/** What was not answered, for the message; a function where making it costs something. */
export type CallName = string | (() => string);

/** Settles every call in time, whether its backend answers or not. */
export interface Deadline {
  /** How long a call may take, in ms, where `race` is not told otherwise. */
  readonly timeout: number;
  /**
   * The outcome of `call`, or `LOCK_UNAVAILABLE` after the timeout. `what` names the call in the
   * message. A late answer or rejection is dropped. The call itself goes on, so a loop in it must
   * have an end of its own. `within` is the time in ms that a longer call leaves for this step. A
   * rejection in time goes to `mend`. It returns another call to wait for until the same deadline,
   * or throws the error to reject with.
   */
  race<T>(call: Promise<T>, what: CallName, within?: number, mend?: (error: unknown) => Promise<T>): Promise<T>;
  /** Stops the timer; calls that are under way settle with their backend only. */
  stop(): void;
}

/**
 * One deadline for all calls of a provider: a timer per command costs more than the rest of the
 * call. `trouble` says why the backend may be silent, if that is known when a call is late. Its
 * code, message and cause go into the rejection.
 */
export function createDeadline(
  runtime: Runtime,
  timeout: number,
  backend: string,
  trouble?: () => LockError | undefined,
): Deadline {
  const timers = new TimerWheel(runtime, false);
  return {
    timeout,
    race<T>(
      call: Promise<T>,
      what: CallName,
      within: number = timeout,
      mend?: (error: unknown) => Promise<T>,
    ): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let over = false;
        const entry = scheduleSilence(timers, runtime.clock.now() + within, () => {
          over = true;
          const name = typeof what === 'string' ? what : what();
          const message = `${backend} did not answer ${name} within ${Math.round(within)} ms.`;
          reject(withTrouble(message, trouble?.()));
        });
        const answered = (answer: T): void => {
          timers.cancel(entry);
          resolve(answer);
        };
        const failed = (error: unknown): void => {
          if (over) return;
          if (mend === undefined) {
            timers.cancel(entry);
            reject(error);
            return;
          }
          try {
            mend(error).then(answered, failed);
          } catch (mended) {
            timers.cancel(entry);
            reject(mended);
          }
        };
        call.then(answered, failed);
      });
    },
    stop() {
      timers.stop();
    },
  };
}

function withTrouble(message: string, trouble: LockError | undefined): LockError {
  if (trouble === undefined) return new LockError('LOCK_UNAVAILABLE', message);
  return new LockError(trouble.code, `${message} ${trouble.message}`, { cause: trouble.cause });
}
