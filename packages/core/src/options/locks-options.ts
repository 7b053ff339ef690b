import { LockError } from '../errors/lock-error.ts';
import { durationOrForever, flag, integer, readOptions, withMethods } from './option-readers.ts';
import type { OptionReader, OptionReaders } from './option-readers.ts';
import { acquireReaders, builtInSettings } from './acquire-options.ts';
import type { AcquireOptions, Settings } from './acquire-options.ts';
import { labelReader } from './owner.ts';
import type { Requires } from './requirements.ts';
import { systemRuntime } from '../time/runtime.ts';
import type { Runtime } from '../time/runtime.ts';

/** Defaults of all calls that can also come from a URL. */
export type DefaultOptions = Omit<AcquireOptions, 'signal' | 'mode' | 'permits'>;

/** Options of `createLocks`, and of the manager half of `openLocks`. */
export interface LocksOptions extends DefaultOptions {
  /** How many claims may wait at once; one more rejects with `LOCK_OVERLOADED`. @default 10_000 */
  readonly maxWaiters?: number | undefined;
  /**
   * What owners start with: what people see in the store, in `inspect` and in `LOCK_TIMEOUT`.
   * @default 'host:pid'
   */
  readonly label?: string | undefined;
  /** How long `close` waits for releases, in ms. @default 5_000 */
  readonly closeTimeout?: number | undefined;
  /**
   * `close` closes the provider too. `openLocks` always does.
   * @default false
   */
  readonly closeProvider?: boolean | undefined;
  /** Traits that the provider must have. */
  readonly requires?: Requires | undefined;
  /** Clock, timers and randomness, for simulations. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

const { ttl, wait, renew, maxHold, reentrant } = acquireReaders;

/** How the options that text can carry are checked: the ones a URL may have. */
export const textReaders: OptionReaders<Omit<LocksOptions, 'closeProvider' | 'requires' | 'runtime'>> = {
  ttl,
  wait,
  renew,
  maxHold,
  reentrant,
  maxWaiters: integer(1, Number.MAX_SAFE_INTEGER),
  label: labelReader,
  closeTimeout: durationOrForever(0),
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
  runtime: withMethods<Runtime>('a Runtime', 'setTimer', 'clearTimer', 'keepAlive', 'random', 'uniqueId'),
};

/** The manager's options, checked and with their defaults. */
export interface ReadLocksOptions {
  readonly settings: Settings;
  readonly maxWaiters: number;
  readonly label: string | undefined;
  readonly closeTimeout: number;
  readonly closeProvider: boolean | undefined;
  readonly runtime: Runtime;
}

/** Checks `options`. Throws `LOCK_MISCONFIGURED` with the option, its value and what it must be. */
export function readLocksOptions(options: LocksOptions): ReadLocksOptions {
  if (typeof options !== 'object' || options === null) {
    throw new LockError('LOCK_MISCONFIGURED', 'The options of a Locks must be an object, such as { ttl: 30_000 }.');
  }
  const read = readOptions(readers, options, { where: 'Locks options', code: 'LOCK_MISCONFIGURED' });
  return {
    settings: {
      ...builtInSettings,
      ttl: read.ttl ?? builtInSettings.ttl,
      wait: read.wait ?? builtInSettings.wait,
      renew: read.renew ?? builtInSettings.renew,
      maxHold: read.maxHold ?? builtInSettings.maxHold,
      reentrant: read.reentrant ?? builtInSettings.reentrant,
    },
    maxWaiters: read.maxWaiters ?? 10_000,
    label: read.label,
    closeTimeout: read.closeTimeout ?? 5_000,
    closeProvider: read.closeProvider,
    runtime: read.runtime ?? systemRuntime,
  };
}
