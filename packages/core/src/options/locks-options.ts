import { LockError } from '../errors/lock-error.ts';
import { durationOrForever } from './duration.ts';
import type { Duration, OptionReader, OptionReaders } from './option-reader.ts';
import { flag, integer, runtimeReader } from './option-readers.ts';
import { readOptions } from './read-options.ts';
import type { locksOptionNames } from './locks-option-names.ts';
import { acquireReaders, builtInSettings } from './acquire-options.ts';
import type { AcquireOptions, Settings } from './acquire-options.ts';
import { labelReader } from './owner.ts';
import type { Requires } from './requirements.ts';
import { systemRuntime } from '../time/runtime.ts';
import type { Runtime } from '../time/runtime.ts';

/** Defaults of all calls that can also come from a URL. */
export type DefaultOptions = Pick<AcquireOptions, 'ttl' | 'wait' | 'maxHold' | 'renew' | 'reentrant'>;

/**
 * Options of `createLocks`, and of the client part of `openLocks`. Durations are ms or text
 * (`'30s'`).
 */
export interface LocksOptions extends DefaultOptions {
  /** The most simultaneous waiters; one more rejects with `LOCK_OVERLOADED`. @default 10_000 */
  readonly maxWaiters?: number | undefined;
  /**
   * The prefix of owners, shown in the store, in `inspect` and in `LOCK_TIMEOUT`.
   * @default 'host:pid'
   */
  readonly label?: string | undefined;
  /**
   * All tokens of this client exceed it, an integer from 0 to 2^53 - 1: for fences that know higher
   * ones, of another library or of a restored store. While the store's clock is below it, a store
   * that loses its data grants tokens again. `migrate` needs it only where the first store is far
   * ahead of its clock.
   * @default none
   */
  readonly tokenFloor?: bigint | number | string | undefined;
  /**
   * `withLock` records what its asynchronous context holds, so that a call that would wait for its
   * own context rejects with `LOCK_DEADLOCK`. Before Node 24 that slows down all promises of the
   * process, unless it uses `AsyncLocalStorage` anyway.
   * @default true from Node 24 on, and where the process uses `AsyncLocalStorage`
   */
  readonly findDeadlocks?: boolean | undefined;
  /**
   * How long `close` waits for releases and for the provider to close, in total.
   * @default 5_000 ms
   */
  readonly closeTimeout?: Duration | undefined;
  /**
   * How long, in ms, `close` waits for work under locks, before it releases them.
   * @default closeTimeout
   */
  readonly drain?: Duration | undefined;
  /** A claim that waits longer is reported on the channel `locks:slow`. @default 5_000 ms */
  readonly slowWait?: Duration | undefined;
  /**
   * `close` closes the provider too. `openLocks` always does.
   * @default false
   */
  readonly closeProvider?: boolean | undefined;
  /** Traits that the provider must have. @default none */
  readonly requires?: Requires | undefined;
  /** Clock, timers and randomness, for simulations. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

/** A number in JSON is exact below 2^53, as tokens are. */
const tokenFloor: OptionReader<bigint | number> = {
  expects: 'a whole number from 0 to 9007199254740991',
  accepts: isToken,
  parse: (text) => (/^\d{1,16}$/.test(text) ? BigInt(text) : undefined),
};

function isToken(value: unknown): value is bigint | number {
  if (typeof value === 'bigint') return value >= 0n && value < 2n ** 53n;
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** How to check the options that a URL may have. */
export const textReaders: OptionReaders<Pick<LocksOptions, (typeof locksOptionNames)[number]>> = {
  ttl: acquireReaders.ttl,
  wait: acquireReaders.wait,
  renew: flag,
  maxHold: acquireReaders.maxHold,
  reentrant: flag,
  findDeadlocks: flag,
  maxWaiters: integer(1, Number.MAX_SAFE_INTEGER),
  label: labelReader,
  tokenFloor,
  closeTimeout: durationOrForever(0),
  drain: durationOrForever(0),
  slowWait: durationOrForever(1),
};

const anything: OptionReader<Requires> = {
  expects: 'an object of traits',
  accepts: (value): value is Requires => typeof value === 'object' && value !== null,
  parse: () => undefined,
};

const readers: OptionReaders<LocksOptions> = {
  ...textReaders,
  closeProvider: flag,
  requires: anything,
  runtime: runtimeReader,
};

/** Whether `name` is an option of the client, and so not of an adapter. */
export function isLocksOption(name: string): boolean {
  return Object.hasOwn(readers, name);
}

/** The checked options of the client, with their defaults. */
export interface ReadLocksOptions {
  readonly settings: Settings;
  readonly maxWaiters: number;
  readonly label: string | undefined;
  readonly tokenFloor: bigint | undefined;
  readonly findDeadlocks: boolean | undefined;
  readonly closeTimeout: number;
  readonly drain: number;
  readonly slowWait: number;
  readonly closeProvider: boolean | undefined;
  readonly runtime: Runtime;
}

/** Checks `options`. Throws `LOCK_MISCONFIGURED` with the option, its value and what it must be. */
export function readLocksOptions(options: LocksOptions, where: string = 'Locks options'): ReadLocksOptions {
  if (typeof options !== 'object' || options === null) {
    throw new LockError('LOCK_MISCONFIGURED', 'The options of the client must be an object, such as { ttl: 30_000 }.');
  }
  const elsewhere = 'Put options of an adapter under "options" of openLocks.';
  const read = readOptions(readers, options, { where, code: 'LOCK_MISCONFIGURED', text: true, elsewhere });
  const { closeTimeout = 5_000, drain = closeTimeout, slowWait = 5_000, maxWaiters = 10_000 } = read;
  const { ttl, wait, renew, maxHold, reentrant } = { ...builtInSettings, ...read };
  return {
    settings: { ...builtInSettings, ttl, wait, renew, maxHold, reentrant },
    maxWaiters,
    label: read.label,
    tokenFloor: typeof read.tokenFloor === 'number' ? BigInt(read.tokenFloor) : read.tokenFloor,
    findDeadlocks: read.findDeadlocks,
    closeTimeout,
    drain,
    slowWait,
    closeProvider: read.closeProvider,
    runtime: read.runtime ?? systemRuntime,
  };
}
