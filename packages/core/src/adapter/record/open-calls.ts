import { Silence } from '../../time/schedule.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import type { ChannelParts } from './key-step.ts';
import { PendingCall } from './pending-call.ts';
import type { Done, KeyCall } from './pending-call.ts';

const none: readonly PendingCall[] = [];

/** The unsettled calls of one process on one key. They share one timer. */
export class OpenCalls {
  readonly #parts: Pick<ChannelParts, 'runtime' | 'deadline' | 'timers'>;
  /** Those made since the last state was taken. */
  #came: PendingCall[] = [];
  #round: readonly PendingCall[] = none;
  /** Due at `#due`, by the clock, when the first of them times out. */
  #timer: TimerEntry | undefined = undefined;
  #due = Infinity;
  #abandon: ((error: unknown) => void) | undefined = undefined;

  constructor(parts: Pick<ChannelParts, 'runtime' | 'deadline' | 'timers'>) {
    this.#parts = parts;
  }

  get waits(): boolean {
    return this.#came.length > 0;
  }

  get round(): readonly PendingCall[] {
    return this.#round;
  }

  /** The outcome of `call`, within `within` ms. */
  add<T>(call: KeyCall<T>, within: number): Promise<Done<T>> {
    return new Promise((resolve, reject) => {
      const until = this.#parts.runtime.clock.now() + within;
      this.#came.push(new PendingCall(call, until, resolve, reject) as PendingCall);
      if (until < this.#due) this.#listen(until);
    });
  }

  /** Adds the new calls to the round. Returns them. */
  join(): readonly PendingCall[] {
    const came = this.#came;
    this.#came = [];
    if (this.#round.length === 0) this.#round = came;
    else this.keep([...this.#round, ...came]);
    return came;
  }

  /** The unsettled ones of these are the round. */
  keep(calls: readonly PendingCall[]): void {
    this.#round = calls.filter(isOpen);
  }

  /** The round has ended. Returns whether another one is to begin. */
  next(): boolean {
    this.#round = none;
    if (this.#came.length > 0) return true;
    if (this.#timer !== undefined) this.#parts.timers.cancel(this.#timer);
    this.#due = Infinity;
    return false;
  }

  /** The reply of the store, unless no call waits for it any more. */
  reply<T>(reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      reply.then(resolve, reject);
    });
  }

  #listen(until: number): void {
    if (this.#timer !== undefined) this.#parts.timers.cancel(this.#timer);
    this.#due = until;
    this.#timer = new Silence(this.#parts.timers, until, () => this.#overdue());
  }

  #overdue(): void {
    const { deadline, runtime } = this.#parts;
    const now = runtime.clock.now();
    this.#due = Infinity;
    for (const call of [...this.#round, ...this.#came])
      if (call.until <= now && isOpen(call)) call.failed(deadline.overdue(call.name));
    this.#came = this.#came.filter(isOpen);
    this.keep(this.#round);
    const next = Math.min(...[...this.#round, ...this.#came].map(({ until }) => until));
    if (next < Infinity) this.#listen(next);
    if (this.#round.length === 0) this.#abandon?.(deadline.overdue('a call'));
  }
}

function isOpen({ over }: PendingCall): boolean {
  return !over;
}
