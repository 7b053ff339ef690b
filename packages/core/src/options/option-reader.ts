import type { LockErrorCode } from '../errors/lock-error.ts';

/**
 * A duration in a configuration: a number of ms, or text with a unit, such as `'250ms'`, `'30s'`,
 * `'5m'` or `'1h'`. Text without a unit is ms.
 */
export type Duration = number | string;

/** A value that may change: itself, or a function that is called at each connection. */
export type Asked<T> = T | (() => T | Promise<T>);

/** How to check one option. Shared by the options of calls, the configuration, and adapters. */
export interface OptionReader<T> {
  /** What the option must be, for the error message: `an integer from 1 to 10`. */
  readonly expects: string;
  /** Text that `parse` reads, for the message, where `expects` does not show it: `"30s"`. */
  readonly example?: string;
  /** Whether `value` is valid. */
  accepts(value: unknown): value is T;
  /**
   * Reads the option from a URL, a configuration or the command line. `undefined`: not readable.
   */
  parse(text: string): T | undefined;
  /** Whether messages hide a wrong value. @default false */
  readonly secret?: boolean;
}

/** The type of a checked option: a `Duration` has become a number of ms. */
export type ReadOption<T> = Duration extends T ? Exclude<T, string | undefined> : Exclude<T, undefined>;

/** The readers of a set of options, by name. */
export type OptionReaders<T> = { readonly [Name in keyof T]-?: OptionReader<ReadOption<T[Name]>> };

/** Where options came from, for messages. */
export interface OptionSource {
  /** The beginning of the message: `openLocks`, `@locks/redis`. */
  readonly where: string;
  /** The code of the error for a wrong option. */
  readonly code: LockErrorCode;
  /** Strings are read with `parse`, as in the query of a URL. @default false */
  readonly text?: boolean;
  /** A sentence about where other options belong, for the message about an unknown one. */
  readonly elsewhere?: string;
}
