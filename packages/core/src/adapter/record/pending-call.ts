import type { Tell } from '../../key/calls.ts';
import type { Outcome } from '../deadline.ts';
import type { StoredKey } from './record-text.ts';

/** What a call makes of the record. It may run again, as another process may have been faster. */
export type Work<T> = (record: StoredKey, now: number, tell: Tell<string>) => T;

/** What a call came to. A hold lasts for its ttl less `slack` ms, from the call. */
export interface Done<T> {
  readonly answer: T;
  readonly slack: number;
}

/** One call on a key. */
export interface KeyCall<T> {
  /** Its name, for messages. */
  readonly what: string;
  readonly work: Work<T>;
  /** The ttl that it gives to a hold. `Infinity`: it gives none. */
  readonly ttl: number;
  /** Whether the work that came to `answer` has changed a hold, and not only the queue. */
  readonly urgent?: (answer: T) => boolean;
  /**
   * Whether the caller may have `answer` although others were faster to write. `undefined`: it may
   * not. Otherwise the work still runs, and the outcome of that goes to what this returns.
   */
  readonly early?: (answer: T) => Outcome<unknown> | undefined;
}

/** A call on a key until it is settled. */
export class PendingCall<T = unknown> {
  readonly call: KeyCall<T>;
  #outcome: Outcome<Done<T>>;
  #end = Infinity;
  /** Until when its caller waits for its effect, by the clock. */
  until: number;
  /** Its effect may reach the store. */
  sent = false;

  constructor(call: KeyCall<T>, outcome: Outcome<Done<T>>, until: number) {
    this.call = call;
    this.#outcome = outcome;
    this.until = until;
  }

  /** Whether it is still to be made. */
  isWanted(now: number): boolean {
    if (now < this.#end) return true;
    this.failed(undefined);
    return false;
  }

  /** Its caller does not wait for it any more. */
  giveUp(): void {
    this.#end = -Infinity;
  }

  /** Answers now, if it may, and is still wanted until `end`. */
  answerEarly(answer: T, end: number): void {
    if (this.#end < Infinity) return;
    const outcome = this.call.early?.(answer);
    if (outcome === undefined) return;
    this.#outcome.answered({ answer, slack: 0 });
    this.#outcome = outcome;
    this.#end = end;
    this.until = end;
  }

  answered(answer: T, slack: number): void {
    this.#outcome.answered({ answer, slack });
  }

  failed(error: unknown): void {
    this.#outcome.failed(error);
  }
}
