import { LockError } from '../../errors/lock-error.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import { acquireReaders } from '../../options/acquire-options.ts';
import { duration } from '../../options/duration.ts';
import { describe } from '../../options/key.ts';
import type { Duration, OptionReaders } from '../../options/option-reader.ts';
import { readOptions } from '../../options/read-options.ts';
import type { ReadOptions } from '../../options/read-options.ts';

/** Slots of one length, one after the other, by the clock of the store. */
export interface EverySlot {
  /** How long a slot is, from 100 ms to 24 h: as often as the call comes. */
  readonly every: Duration;
  /**
   * The time of the calls, counted from midnight UTC: `{ every: '24h', at: '3h' }` is each day at
   * 03:00, and `{ every: '1h', at: '15m' }` each hour at a quarter past. The slot begins half of
   * `every` before that time and ends half of it after, so calls may come a little early or late.
   * Where a day is no multiple of `every`, it counts from the multiples of `every` since 1970.
   * @default 0 ms
   */
  readonly at?: Duration | undefined;
}

/** Options of `once`. */
export interface OnceOptions extends Pick<AcquireOptions, 'ttl' | 'renew' | 'maxHold' | 'signal' | 'label'> {
  /**
   * For a slot with a name: how long the store remembers that it was taken, up to 24 h. A call that
   * comes later runs again.
   * @default 86_400_000 ms
   */
  readonly keep?: Duration | undefined;
}

/** The slots of an `EverySlot`, in ms. */
export interface Slots {
  readonly every: number;
  readonly at: number;
}

const day = 86_400_000;

const { ttl, renew, maxHold, signal, label } = acquireReaders;
const onceReaders: OptionReaders<OnceOptions> = { ttl, renew, maxHold, signal, label, keep: duration(1, day) };
const slotReaders: OptionReaders<EverySlot> = { every: duration(100, day), at: duration(0, day) };

/** The options of a call, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readOnceOptions(
  options: OnceOptions,
  named: boolean,
): ReadOptions<OnceOptions> & { readonly keep: number } {
  if (typeof options !== 'object' || options === null) {
    throw new LockError('LOCK_INVALID', 'once: the options must be an object, such as { ttl: 30_000 }.');
  }
  const { keep = day, ...read } = readOptions(onceReaders, options, {
    where: 'once',
    code: 'LOCK_INVALID',
    text: true,
  });
  if (named || options.keep === undefined) return { ...read, keep };
  const message = 'once: option "keep" is for slots with a name. A slot with "every" is kept to its end. Leave it out.';
  throw new LockError('LOCK_INVALID', message);
}

/** The slot of a call, checked: its name, or the slots that it is one of. */
export function readSlot(slot: unknown): string | Slots {
  if (typeof slot === 'string' && slot !== '' && !slot.includes('\0') && slot.isWellFormed()) return slot;
  if (typeof slot !== 'object' || slot === null) {
    const expected = `a text without NUL and lone surrogates, or an object such as { every: '1m' }`;
    throw new LockError('LOCK_INVALID', `once: the slot must be ${expected}, not ${describe(slot)}.`);
  }
  const source = { where: 'The slot of once', code: 'LOCK_INVALID', text: true } as const;
  const { every, at = 0 } = readOptions(slotReaders, slot as EverySlot, source);
  if (every === undefined) {
    throw new LockError('LOCK_INVALID', `The slot of once: option "every" is missing, such as { every: '1m' }.`);
  }
  return { every, at };
}
