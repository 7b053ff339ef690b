import { Silence } from '../time/schedule.ts';
import { TimerWheel } from '../time/timer-wheel.ts';
import { LockError } from '../errors/lock-error.ts';
import type { Runtime } from '../time/runtime.ts';

/** What was not answered, for the message; a function where the text is expensive. */
export type CallName = string | (() => string);

/** Receives the outcome of a call, once. */
export interface Outcome<T> {
  /** The call resolved to `answer`. */
  answered(answer: T): void;
  /** The call rejected with `error`. */
  failed(error: unknown): void;
}

/** A call in progress, or a function that starts one. */
export type RacedCall<T> = Promise<T> | ((outcome: Outcome<T>) => void);

/**
 * Returns another call to await until the same deadline, or throws the error to reject with.
 * `late`: the deadline has passed. The other call is still made, and its answer is dropped.
 */
export type Mend<T> = (error: unknown, late: boolean) => RacedCall<T>;

/** Settles every call in time, even if its backend does not answer. */
export interface Deadline {
  /** The usual limit of a call, in ms. */
  readonly timeout: number;
  /**
   * The outcome of `call`, or `LOCK_UNAVAILABLE` after `within` ms, by default the timeout. `what`
   * names the call in the message. A late answer or rejection is dropped. The call itself
   * continues, so a loop in it needs its own end. A rejection goes to `mend`.
   */
  race<T>(call: RacedCall<T>, what: CallName, within?: number, mend?: Mend<T>): Promise<T>;
  /** The error of a call without an answer within `within` ms. */
  overdue(what: CallName, within?: number): LockError;
  /** Stops the timer; calls in progress settle only with their backend. */
  stop(): void;
}

/**
 * One deadline for all calls of a provider: a timer per command costs more than the rest of the
 * call. `trouble` returns why the backend may be silent, if known. Its code, message and cause go
 * into the rejection of a late call.
 */
export function createDeadline(
  runtime: Runtime,
  timeout: number,
  backend: string,
  trouble?: () => LockError | undefined,
): Deadline {
  const timers = new TimerWheel(runtime, false);
  const overdue = (what: CallName, within: number = timeout): LockError => {
    const name = typeof what === 'string' ? what : what();
    // A step has what remains of its call; users know the limit of the whole call.
    const limit = Math.round(Math.max(within, timeout));
    return withTrouble(`${backend} did not answer ${name} within ${limit} ms.`, trouble?.());
  };
  return {
    timeout,
    overdue,
    race<T>(call: RacedCall<T>, what: CallName, within: number = timeout, mend?: Mend<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const late = (): void => reject(overdue(what, within));
        begin(call, new Race(timers, runtime.clock.now() + within, { late, resolve, reject, mend }));
      });
    },
    stop() {
      timers.stop();
    },
  };
}

interface RaceParts<T> {
  readonly late: () => void;
  readonly resolve: (answer: T) => void;
  readonly reject: (error: unknown) => void;
  readonly mend: Mend<T> | undefined;
}

class Race<T> extends Silence implements Outcome<T> {
  readonly #parts: RaceParts<T>;
  #over = false;

  constructor(timers: TimerWheel, at: number, parts: RaceParts<T>) {
    super(timers, at);
    this.#parts = parts;
  }

  answered(answer: T): void {
    this.cancel();
    this.#parts.resolve(answer);
  }

  failed(error: unknown): void {
    const { mend, reject } = this.#parts;
    let reason = error;
    try {
      if (mend !== undefined) {
        begin(mend(error, this.#over), this);
        return;
      }
    } catch (mended) {
      reason = mended;
    }
    this.cancel();
    reject(reason);
  }

  protected override silent(): void {
    this.#over = true;
    this.#parts.late();
  }
}

function begin<T>(call: RacedCall<T>, outcome: Outcome<T>): void {
  if (typeof call === 'function') {
    call(outcome);
    return;
  }
  call.then(
    (answer) => outcome.answered(answer),
    (error: unknown) => outcome.failed(error),
  );
}

function withTrouble(message: string, trouble: LockError | undefined): LockError {
  if (trouble === undefined) return new LockError('LOCK_UNAVAILABLE', message);
  return new LockError(trouble.code, `${message} ${trouble.message}`, { cause: trouble.cause });
}
