import type { AcquireOptions } from '../../options/acquire-options.ts';
import { acquireReaders } from '../../options/acquire-options.ts';
import { duration } from '../../options/duration.ts';
import type { OptionReaders } from '../../options/option-reader.ts';
import { readOptions } from '../../options/read-options.ts';

/** Options of an observer. */
export interface LeadershipOptions {
  /**
   * Observers look every so many ms, from 10 on. They miss a leader who leads for less.
   * @default 1_000
   */
  readonly poll?: number | undefined;
  /** Ends the observation: the iterator rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a candidate. */
export interface ElectOptions extends Pick<AcquireOptions, 'ttl' | 'maxHold'>, Pick<LeadershipOptions, 'poll'> {
  /**
   * How long a candidate rests after a term before it stands again, in ms, from 10 on. It doubles
   * with each error and each loss in a row, up to 16 times as long. Half of it is jitter.
   * @default 1_000
   */
  readonly rest?: number | undefined;
  /** Ends the candidacy, as `stop` does. */
  readonly signal?: AbortSignal | undefined;
}

const { signal, ttl, maxHold } = acquireReaders;
const usual = 1_000;
const everyMs = duration(10, 86_400_000);

const leadershipReaders: OptionReaders<LeadershipOptions> = { poll: everyMs, signal };
const electReaders: OptionReaders<ElectOptions> = { ttl, maxHold, poll: everyMs, rest: everyMs, signal };

/** The options of an observer, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readLeadershipOptions(options: LeadershipOptions): LeadershipOptions & { readonly poll: number } {
  const { poll = usual, ...read } = readOptions(leadershipReaders, options, {
    where: 'leadership',
    code: 'LOCK_INVALID',
  });
  return { ...read, poll };
}

/** The options of a candidate, checked. Throws `LOCK_INVALID` with the name of a wrong one. */
export function readElectOptions(
  options: ElectOptions,
): ElectOptions & { readonly poll: number; readonly rest: number } {
  const {
    poll = usual,
    rest = usual,
    ...read
  } = readOptions(electReaders, options, { where: 'elect', code: 'LOCK_INVALID' });
  return { ...read, poll, rest };
}
