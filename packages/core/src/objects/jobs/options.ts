import { LockError } from '../../errors/lock-error.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import { acquireReaders } from '../../options/acquire-options.ts';
import { duration } from '../../options/duration.ts';
import type { Duration, OptionReader, OptionReaders } from '../../options/option-reader.ts';
import { integer } from '../../options/option-readers.ts';
import { readOptions } from '../../options/read-options.ts';
import type { ReadOptions } from '../../options/read-options.ts';
import type { RetryPolicy } from './verdict.ts';

/** How a slot with an unsuccessful run is retried. */
export interface JobRetries {
  /** How many retries a slot has. @default 3 */
  readonly retries?: number | undefined;
  /** How long after the end of a run the next one may begin. @default 0 ms */
  readonly after?: Duration | undefined;
}

/** Options of `once`. */
export interface OnceOptions extends Pick<AcquireOptions, 'renew' | 'maxHold' | 'lockDelay' | 'signal' | 'label'> {
  /**
   * How long after the death of a running process another one notices it. The lock of the job is
   * renewed until then.
   * @default 10_000 ms
   */
  readonly ttl?: Duration | undefined;
  /**
   * The effect of a run that failed, crashed, was stopped or lost its lock. `'keep'`: the slot is
   * over, so work begins at most once in it. `'retry'`: the next or a waiting call runs it again,
   * up to 3 times, so work succeeds at least once as long as calls are made, and may run twice: a
   * process may die after its work, before that is recorded.
   * @default 'keep'
   */
  readonly onFailure?: 'keep' | 'retry' | JobRetries | undefined;
  /**
   * How long a call waits while the job runs elsewhere, in ms, ready to take over, and until a
   * retry is due. By default a call whose slot runs elsewhere returns immediately, and one that
   * finds an earlier slot running waits for as long as a dead process keeps the lock.
   */
  readonly wait?: Duration | undefined;
  /**
   * When the job is next due: a Date, or the time after the slot in ms. `jobs` reports overdue jobs
   * by it. By default the end of a slot with `every`, and unknown for a Date.
   */
  readonly next?: Date | Duration | undefined;
}

export interface ReadOnceOptions {
  readonly lock: ReadOptions<Pick<OnceOptions, 'renew' | 'maxHold' | 'lockDelay' | 'signal' | 'label'>> & {
    readonly ttl: number;
  };
  readonly policy: RetryPolicy;
  readonly wait: number | undefined;
  /** Ms since 1970. */
  readonly next: Date | number | undefined;
}

const longest = 366 * 86_400_000;
const keep: RetryPolicy = { retries: 0, after: 0 };
const usualRetries = 3;

const { ttl, renew, maxHold, lockDelay, signal, label } = acquireReaders;
const retryReaders: OptionReaders<JobRetries> = { retries: integer(0, 1_000), after: duration(0, longest) };
const dueReader: OptionReader<Date | number> = {
  expects: `a Date or ${duration(1, longest).expects}`,
  accepts: (value): value is Date | number =>
    value instanceof Date ? !Number.isNaN(value.getTime()) : duration(1, longest).accepts(value),
  parse: duration(1, longest).parse,
};
const failureReader: OptionReader<'keep' | 'retry' | JobRetries> = {
  expects: "'keep', 'retry' or an object such as { retries: 3, after: '30s' }",
  accepts: (value): value is 'keep' | 'retry' | JobRetries =>
    value === 'keep' || value === 'retry' || (typeof value === 'object' && value !== null),
  parse: (text) => (text === 'keep' || text === 'retry' ? text : undefined),
};
const readers: OptionReaders<OnceOptions> = {
  ttl,
  renew,
  maxHold,
  lockDelay,
  signal,
  label,
  onFailure: failureReader,
  wait: duration(0, 86_400_000),
  next: dueReader,
};

/** Throws `LOCK_INVALID` with the name of a wrong option. */
export function readOnceOptions(options: OnceOptions): ReadOnceOptions {
  if (typeof options !== 'object' || options === null) {
    throw new LockError('LOCK_INVALID', 'once: the options must be an object, such as { ttl: 30_000 }.');
  }
  const source = { where: 'once', code: 'LOCK_INVALID', text: true } as const;
  const { onFailure = 'keep', wait, next, ttl: lockTtl = 10_000, ...lock } = readOptions(readers, options, source);
  return { lock: { ...lock, ttl: lockTtl }, policy: policyOf(onFailure), wait, next };
}

function policyOf(onFailure: 'keep' | 'retry' | JobRetries): RetryPolicy {
  if (onFailure === 'keep') return keep;
  const given = onFailure === 'retry' ? {} : onFailure;
  const source = { where: 'Option "onFailure" of once', code: 'LOCK_INVALID', text: true } as const;
  const { retries = usualRetries, after = 0 } = readOptions(retryReaders, given, source);
  return { retries, after };
}
