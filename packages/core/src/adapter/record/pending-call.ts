import { LockError, isLockError } from '../../errors/lock-error.ts';
import type { Tell } from '../../key/calls.ts';
import type { Outcome } from '../deadline.ts';
import type { StoredKey } from './record-text.ts';

/** What a call makes of the record. It may run again if another process was faster. */
export type Work<T> = (record: StoredKey, now: number, tell: Tell<string>) => T;

/** The outcome of a call. A hold lasts for its ttl less `slack` ms, from the call. */
export interface Done<T> {
  readonly answer: T;
  readonly slack: number;
}

/** One call on a key. */
export interface KeyCall<T> {
  /** Its name, for messages. */
  readonly what: string;
  readonly key: string;
  readonly work: Work<T>;
  /** The ttl of the hold that it grants. `Infinity`: it grants none. */
  readonly ttl: number;
  /** Whether the work that returned `answer` changed a hold, and not only the queue. */
  readonly urgent?: (answer: T) => boolean;
  /**
   * Whether the caller may have `answer` although others were faster to write. `undefined`: it may
   * not. Otherwise the work still runs, and its outcome goes to what this returns.
   */
  readonly early?: (answer: T) => Outcome<unknown> | undefined;
}

/** A call on a key until it is settled. */
export class PendingCall<T = unknown> {
  readonly call: KeyCall<T>;
  readonly #resolve: (done: Done<T>) => void;
  readonly #reject: (error: unknown) => void;
  /** Its caller was answered; this receives the outcome of the work. */
  #behind: Outcome<unknown> | undefined = undefined;
  /** Until when its effect is wanted, by the clock. */
  until: number;
  /** Its effect may reach the store. */
  sent = false;
  #over = false;

  constructor(call: KeyCall<T>, until: number, resolve: (done: Done<T>) => void, reject: (error: unknown) => void) {
    this.call = call;
    this.until = until;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** For messages. */
  get name(): string {
    return `${this.call.what} of ${JSON.stringify(this.call.key)}`;
  }

  /** Whether it needs no more work. */
  get over(): boolean {
    return this.#over;
  }

  /** Answers now, if it may and is still wanted until `end`. */
  answerEarly(answer: T, end: number): void {
    if (this.#behind !== undefined) return;
    this.#behind = this.call.early?.(answer);
    if (this.#behind === undefined) return;
    this.#resolve({ answer, slack: 0 });
    this.until = end;
  }

  answered(answer: T, slack: number): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#behind === undefined) this.#resolve({ answer, slack });
    else this.#behind.answered(answer);
  }

  failed(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#behind !== undefined) this.#behind.failed(error);
    else if (this.sent || !isLockError(error, 'LOCK_UNAVAILABLE')) this.#reject(error);
    else {
      const { message, cause } = error;
      this.#reject(new LockError('LOCK_UNAVAILABLE', message, { key: this.call.key, cause, sent: false }));
    }
  }
}
