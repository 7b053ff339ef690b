import type { Mode } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { duration, durationOrForever } from './duration.ts';
import type { Duration, OptionReader, OptionReaders, ReadOption } from './option-reader.ts';
import { flag, integer, oneOf } from './option-readers.ts';
import { callLabelReader } from './owner.ts';
import { wrongOption } from './read-options.ts';
import type { ReadOptions } from './read-options.ts';
import { unknownOption } from './unknown-option.ts';

/** Options of one `acquire`, `tryAcquire` or `withLock`. Durations are ms or text (`'30s'`). */
export interface AcquireOptions {
  /**
   * How long the store keeps the lock without a renewal, from 50 ms to 24 h.
   * @default 30_000
   */
  readonly ttl?: Duration | undefined;
  /**
   * How long to wait for the lock, in ms; 0 is one attempt. The first attempt may take 250 ms even
   * if this is less.
   * @default Infinity; 0 for `tryAcquire`
   */
  readonly wait?: Duration | undefined;
  /**
   * Ends the waiting: the call rejects with the signal's own reason. It does not end a lease.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /** Renew the lease in the background, at a third of its validity. @default true */
  readonly renew?: boolean | undefined;
  /**
   * The lease is lost after this time, in ms, even if it is renewed, so that a hung holder does not
   * hold it forever.
   * @default Infinity
   */
  readonly maxHold?: Duration | undefined;
  /**
   * The key stays closed for this time from the grant, up to 24 h, even after a release or the
   * death of the process. An earlier release renews the hold a last time.
   * @default 0 ms
   */
  readonly atLeast?: Duration | undefined;
  /**
   * How much longer the key stays closed after an unclean end, up to 24 h: the process died, the
   * lease was lost, or its client was closed. For resources that cannot check tokens.
   * @default 0 ms
   */
  readonly lockDelay?: Duration | undefined;
  /** @default 'exclusive' */
  readonly mode?: Mode | undefined;
  /**
   * With `mode: 'shared'`: granted while fewer than this many share the key. Each call has its own
   * number.
   * @default unlimited
   */
  readonly permits?: number | undefined;
  /**
   * The same asynchronous context may take the key again. Only `withLock` opens such a scope.
   * @default false
   */
  readonly reentrant?: boolean | undefined;
  /**
   * Waits without limit even if only the same asynchronous context can end the wait, instead of
   * rejecting with `LOCK_DEADLOCK`. For calls under the lock that the work does not await. One of
   * the two calls needs it.
   * @default false
   */
  readonly waitForSelf?: boolean | undefined;
  /**
   * A name of the request that holds the lock, for `inspect` and for messages: appended to the
   * label of the client, as in `host:pid:request-7`. 1 to 64 printable ASCII characters without
   * spaces or "/".
   * @default none
   */
  readonly label?: string | undefined;
}

/** The options of one call, with their defaults. */
export type Settings = {
  readonly [Name in keyof AcquireOptions]-?: Name extends 'signal' | 'permits' | 'label'
    ? ReadOption<AcquireOptions[Name]> | undefined
    : ReadOption<AcquireOptions[Name]>;
};

const signal: OptionReader<AbortSignal> = {
  expects: 'an AbortSignal',
  accepts: (value): value is AbortSignal => value instanceof AbortSignal,
  parse: () => undefined,
};

/** Of a lease, in ms. The claim of a lease with `lockDelay` has up to twice that. */
const longestTtl = 86_400_000;

/** The highest number that each store can compare: an `integer` of SQL. */
const mostPermits = 2 ** 31 - 1;

export const acquireReaders: OptionReaders<AcquireOptions> = {
  ttl: duration(50, longestTtl),
  wait: durationOrForever(0),
  signal,
  renew: flag,
  maxHold: durationOrForever(1),
  atLeast: duration(0, longestTtl),
  lockDelay: duration(0, longestTtl),
  mode: oneOf('exclusive', 'shared'),
  permits: integer(1, mostPermits),
  reentrant: flag,
  waitForSelf: flag,
  label: callLabelReader,
};

const source = { where: 'Lock options', code: 'LOCK_INVALID', text: true } as const;

/** The built-in defaults. */
export const builtInSettings: Settings = {
  ttl: 30_000,
  wait: Infinity,
  signal: undefined,
  renew: true,
  maxHold: Infinity,
  atLeast: 0,
  lockDelay: 0,
  mode: 'exclusive',
  permits: undefined,
  reentrant: false,
  waitForSelf: false,
  label: undefined,
};

/**
 * The value of option `name`, with text of a duration as ms. Throws `LOCK_INVALID` for a wrong one.
 */
export function readOption<Name extends keyof AcquireOptions>(
  name: Name,
  value: AcquireOptions[Name],
): ReadOption<AcquireOptions[Name]> | undefined {
  const reader: OptionReader<unknown> = acquireReaders[name];
  // Only durations have an example of text. Text is no flag and no number.
  const read = typeof value === 'string' && reader.example !== undefined ? reader.parse(value) : value;
  if (value !== undefined && !reader.accepts(read)) throw wrongOption(name, value, reader, source);
  return read as ReadOption<AcquireOptions[Name]> | undefined;
}

/** `options` over `defaults`. Throws `LOCK_INVALID` for unknown names and wrong values. */
export function resolveSettings(defaults: Settings, given: AcquireOptions | undefined): Settings {
  if (given === undefined) return defaults;
  if (typeof given !== 'object' || given === null) {
    throw new LockError('LOCK_INVALID', 'Lock options must be an object, such as { ttl: 30_000, wait: 5_000 }.');
  }
  let read: Record<string, unknown> | undefined;
  for (const name in given) {
    if (!Object.hasOwn(acquireReaders, name)) throw unknownOption(name, Object.keys(acquireReaders), source);
    const value = given[name as keyof AcquireOptions];
    const ms = readOption(name as keyof AcquireOptions, value);
    if (ms !== value) (read ??= { ...given })[name] = ms;
  }
  const options = (read ?? given) as ReadOptions<AcquireOptions>;
  const settings: Settings = {
    ttl: options.ttl ?? defaults.ttl,
    wait: options.wait ?? defaults.wait,
    signal: options.signal ?? defaults.signal,
    renew: options.renew ?? defaults.renew,
    maxHold: options.maxHold ?? defaults.maxHold,
    atLeast: options.atLeast ?? defaults.atLeast,
    lockDelay: options.lockDelay ?? defaults.lockDelay,
    mode: options.mode ?? defaults.mode,
    permits: options.permits ?? defaults.permits,
    reentrant: options.reentrant ?? defaults.reentrant,
    waitForSelf: options.waitForSelf ?? defaults.waitForSelf,
    label: options.label,
  };
  if (settings.permits !== undefined && settings.mode === 'exclusive') {
    throw new LockError(
      'LOCK_INVALID',
      `Option "permits" (${settings.permits}) needs mode: 'shared'; an exclusive lock has one holder.`,
    );
  }
  return settings;
}
