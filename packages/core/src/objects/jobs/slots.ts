import { LockError } from '../../errors/lock-error.ts';
import { duration } from '../../options/duration.ts';
import { describe } from '../../options/key.ts';
import type { Duration, OptionReaders } from '../../options/option-reader.ts';
import { readOptions } from '../../options/read-options.ts';
import { adviceFor, dateAdvice } from './slot-advice.ts';

/** Consecutive slots of one length, by the clock of the store. */
export interface EverySlot {
  /** The length of a slot, from 100 ms to 24 h: the interval of the calls. */
  readonly every: Duration;
  /**
   * The time of the calls in ms, counted from midnight UTC: `{ every: '24h', at: '3h' }` is daily
   * at 03:00, and `{ every: '1h', at: '15m' }` hourly at a quarter past. The slot of a call is the
   * nearest of these times, so calls may be a little early or late. If a day is no multiple of
   * `every`, it counts from the multiples of `every` since 1970.
   * @default 0 ms
   */
  readonly at?: Duration | undefined;
}

/**
 * One run of a job. A `Date`: the scheduled time, the same in each process and never the time of
 * the call. `'ever'`: once for all time.
 */
export type Slot = Date | EverySlot | 'ever';

/** A checked slot: its time in ms, or the series that it belongs to. */
export type ReadSlot = number | { readonly every: number; readonly at: number };

const day = 86_400_000;
const readers: OptionReaders<EverySlot> = { every: duration(100, day), at: duration(0, day) };

/** Throws `LOCK_INVALID` for anything but a slot. */
export function readSlot(slot: unknown): ReadSlot {
  if (slot === 'ever') return 0;
  if (slot instanceof Date) return timeOf(slot);
  if (typeof slot !== 'object' || slot === null) {
    throw new LockError('LOCK_INVALID', `once: ${describe(slot)} is not a slot. ${adviceFor(slot)}.`);
  }
  const source = { where: 'The slot of once', code: 'LOCK_INVALID', text: true } as const;
  const { every, at = 0 } = readOptions(readers, slot as EverySlot, source);
  if (every === undefined) {
    throw new LockError('LOCK_INVALID', `The slot of once: option "every" is missing, such as { every: '1m' }.`);
  }
  return { every, at };
}

function timeOf(slot: Date): number {
  const time = slot.getTime();
  if (!(time > 0)) throw new LockError('LOCK_INVALID', 'once: the slot must be a Date after 1970.');
  if (time % 1_000 === 0) return time;
  const why = 'has milliseconds, so it seems to be the time of the call, which differs between processes';
  throw new LockError('LOCK_INVALID', `once: the slot ${slot.toISOString()} ${why}. ${dateAdvice}.`);
}

/** One of the slots of one length. Times are in ms. */
export interface FoundSlot {
  readonly every: number;
  readonly slot: number;
  /** The distance of the call from the edge to the next slot. */
  readonly edge: number;
}

/** The slot nearest to `now`. */
export function nearestSlot({ every, at }: { readonly every: number; readonly at: number }, now: number): FoundSlot {
  const slot = Math.floor((now - at) / every + 1 / 2) * every + at;
  return { every, slot, edge: every / 2 - Math.abs(now - slot) };
}
