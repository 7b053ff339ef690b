import type { ReadState } from './store-calls.ts';

/** A moment of the record's time. */
export interface Moment {
  /** Not later than the store's time. */
  readonly now: number;
  /** The store's time is later by at most this, in ms. */
  readonly slack: number;
  /** The store's time was not later than `now + slack` then, by the clock of this process. */
  readonly at: number | undefined;
  /** The state was read for the calls that it serves. */
  readonly read: boolean;
}

/** How long an own state may be used without a read, in ms. A longer time shortens grants. */
const reusedFor = 1_000;
/** Clocks differ in rate by at most 1 %. */
const drift = 0.01;

/** The moment of a state that was read for calls that had begun before. */
export function readMoment({ now, sentAt }: ReadState, local: number): Moment {
  return now === undefined
    ? { now: local, slack: 0, at: undefined, read: true }
    : { now, slack: 0, at: sentAt, read: true };
}

/** The moment of a state read earlier. `undefined`: too long ago. */
export function reusedMoment({ now, sentAt, receivedAt }: ReadState, local: number): Moment | undefined {
  const age = local - receivedAt;
  if (age > reusedFor) return undefined;
  if (now === undefined) return { now: local, slack: 0, at: undefined, read: false };
  const slack = Math.ceil(receivedAt - sentAt + 2 * drift * (local - sentAt));
  return { now: now + age * (1 - drift), slack, at: local, read: false };
}
