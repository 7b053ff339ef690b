import type { AcquireOptions } from '../../options/acquire-options.ts';
import { acquireReaders } from '../../options/acquire-options.ts';
import { duration, durationOrForever } from '../../options/duration.ts';
import type { Duration, OptionReaders } from '../../options/option-reader.ts';
import { readOptions } from '../../options/read-options.ts';
import type { ReadOptions } from '../../options/read-options.ts';

/** Options of an observer. */
export interface LeadershipOptions {
  /**
   * The interval of observers in ms, at least 10. They miss a leader who leads for less.
   * @default 1_000
   */
  readonly poll?: Duration | undefined;
  /** Ends the observation: the iterator rejects with the signal's own reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a candidate. */
export interface ElectOptions
  extends Pick<AcquireOptions, 'ttl' | 'maxHold' | 'label'>, Pick<LeadershipOptions, 'poll'> {
  /**
   * The cooldown of a candidate after a term, in ms, at least 10. It doubles with each error and
   * each loss in a row, up to 16 times. Half of it is jitter.
   * @default 1_000
   */
  readonly cooldown?: Duration | undefined;
  /** Ends the candidacy, as `stop` does. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `stop`. */
export interface StopOptions {
  /**
   * How long it waits for `lead`, in ms. Then the lease is released, and `lead` may still run.
   * @default `drain` of its client
   */
  readonly drain?: Duration | undefined;
}

/** Options of `whenLeading`. */
export interface WhenLeadingOptions {
  /** Ends the waiting: the call rejects with the signal's own reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const { signal, ttl, maxHold, label } = acquireReaders;
const everyMs = duration(10, 86_400_000);

/** The default of `poll` and `cooldown`, in ms. */
export const usual = 1_000;

/** Checks options of an observer, a candidate, `stop` or `whenLeading`. */
type Read<T> = (options: T) => ReadOptions<T>;

function reader<T extends object>(where: string, readers: OptionReaders<NoInfer<T>>): Read<T> {
  return (options) => readOptions(readers, options, { where, code: 'LOCK_INVALID', text: true });
}

export const readLeadershipOptions: Read<LeadershipOptions> = reader('leadership', { poll: everyMs, signal });
export const readElectOptions: Read<ElectOptions> = reader('elect', {
  ttl,
  maxHold,
  label,
  poll: everyMs,
  cooldown: everyMs,
  signal,
});
export const readStopOptions: Read<StopOptions> = reader('stop', { drain: durationOrForever(0) });
export const readWhenLeadingOptions: Read<WhenLeadingOptions> = reader('whenLeading', { signal });
