import type { Request } from '../wire/request.ts';
import type { Answer } from '../wire/answer.ts';

/** A request whose reply has not come. */
export interface Pending {
  readonly xid: number;
  readonly request: Request<unknown>;
  /** By the clock of the runtime, in ms: not after it was written. */
  readonly sentAt: number;
  /** Does not keep the process alive. */
  readonly background: boolean;
  readonly resolve: (answer: Answer<unknown>) => void;
  readonly reject: (error: Error) => void;
  next: Pending | undefined;
}

/**
 * The requests of one connection that wait for their replies. Replies come in the order of the
 * requests.
 */
export class Unanswered {
  #first: Pending | undefined;
  #last: Pending | undefined;
  #count = 0;
  #foreground = 0;

  get count(): number {
    return this.#count;
  }

  /** How many of them keep the process alive. */
  get foreground(): number {
    return this.#foreground;
  }

  get first(): Pending | undefined {
    return this.#first;
  }

  add(pending: Pending): void {
    if (this.#last === undefined) this.#first = pending;
    else this.#last.next = pending;
    this.#last = pending;
    this.#count += 1;
    if (!pending.background) this.#foreground += 1;
  }

  shift(): Pending | undefined {
    const first = this.#first;
    if (first === undefined) return undefined;
    this.#first = first.next;
    if (first.next === undefined) this.#last = undefined;
    this.#count -= 1;
    if (!first.background) this.#foreground -= 1;
    return first;
  }
}
