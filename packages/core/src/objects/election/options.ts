import type { AcquireOptions } from '../../options/acquire-options.ts';
import { acquireReaders } from '../../options/acquire-options.ts';
import { duration, durationOrForever } from '../../options/duration.ts';
import type { Duration, OptionReaders } from '../../options/option-reader.ts';
import { readOptions } from '../../options/read-options.ts';
import type { ReadOptions } from '../../options/read-options.ts';

/** Options of an observer. */
export interface LeadershipOptions {
  /**
   * How often observers look, from 10 ms on. They miss a leader who leads for less.
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
   * How long a candidate rests after a term before it stands again, from 10 ms on. It doubles
   * with each error and each loss in a row, up to 16 times as long. Half of it is jitter.
   * @default 1_000
   */
  readonly rest?: Duration | undefined;
  /** Ends the candidacy, as `stop` does. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `stop`. */
export interface StopOptions {
  /**
   * How long it waits for `lead`, in ms. Then the lease is released, and `lead` may still run.
   * @default `drain` of its `Locks`
   */
  readonly drain?: Duration | undefined;
}

/** Options of `whenLeading`. */
export interface WhenLeadingOptions {
  /** Ends the waiting: the call rejects with the signal's own reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** With the defaults, in ms. */
export type ReadLeadershipOptions = ReadOptions<LeadershipOptions> & { readonly poll: number };
export type ReadElectOptions = ReadOptions<ElectOptions> & { readonly poll: number; readonly rest: number };

const { signal, ttl, maxHold, label } = acquireReaders;
const usual = 1_000;
const everyMs = duration(10, 86_400_000);

const leadershipReaders: OptionReaders<LeadershipOptions> = { poll: everyMs, signal };
const stopReaders: OptionReaders<StopOptions> = { drain: durationOrForever(0) };
const whenLeadingReaders: OptionReaders<WhenLeadingOptions> = { signal };
const electReaders: OptionReaders<ElectOptions> = { ttl, maxHold, label, poll: everyMs, rest: everyMs, signal };

/** The options of an observer, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readLeadershipOptions(options: LeadershipOptions): ReadLeadershipOptions {
  const { poll = usual, ...read } = readOptions(leadershipReaders, options, {
    where: 'leadership',
    code: 'LOCK_INVALID',
    text: true,
  });
  return { ...read, poll };
}

/** The options of a candidate, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readElectOptions(options: ElectOptions): ReadElectOptions {
  const {
    poll = usual,
    rest = usual,
    ...read
  } = readOptions(electReaders, options, { where: 'elect', code: 'LOCK_INVALID', text: true });
  return { ...read, poll, rest };
}

/** The options of `stop`, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readStopOptions(options: StopOptions): ReadOptions<StopOptions> {
  return readOptions(stopReaders, options, { where: 'stop', code: 'LOCK_INVALID', text: true });
}

/** The options of `whenLeading`, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readWhenLeadingOptions(options: WhenLeadingOptions): ReadOptions<WhenLeadingOptions> {
  return readOptions(whenLeadingReaders, options, { where: 'whenLeading', code: 'LOCK_INVALID' });
}
