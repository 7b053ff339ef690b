import { LockError } from '../errors/lock-error.ts';
import type { LockErrorCode } from '../errors/lock-error.ts';
import { describe } from './key.ts';

/** How one option is checked. Shared by the options of calls, the configuration, and adapters. */
export interface OptionReader<T> {
  /** What the option must be, as the error message says it: `an integer from 1 to 10`. */
  readonly expects: string;
  accepts(value: unknown): value is T;
  /** Reads the option from a URL or the command line. `undefined`: not readable. */
  parse(text: string): T | undefined;
  /** Messages do not show a wrong value. @default false */
  readonly secret?: boolean;
}

/** The readers of a set of options, by name. */
export type OptionReaders<T> = { readonly [Name in keyof T]-?: OptionReader<Exclude<T[Name], undefined>> };

/** Where options came from, for messages. */
export interface OptionSource {
  /** Put before the message: `openLocks`, `@locks/redis`. */
  readonly where: string;
  readonly code: LockErrorCode;
  /** Strings are read with `parse`, as in the query of a URL. @default false */
  readonly text?: boolean;
}

/**
 * Checks `input` against `readers` and returns the options that are set. Throws with the name, the value and what is
 * expected; an unknown name is answered with the known ones.
 */
export function readOptions<T extends object>(
  readers: OptionReaders<T>,
  input: object,
  source: OptionSource,
): Partial<T> {
  const known = readers as Readonly<Record<string, OptionReader<unknown>>>;
  const output: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const reader = Object.hasOwn(known, name) ? known[name] : undefined;
    if (reader === undefined) throw unknownOption(name, Object.keys(known), source);
    const read: unknown = source.text && typeof value === 'string' ? reader.parse(value) : value;
    if (!reader.accepts(read)) throw wrongOption(name, reader.secret ? {} : value, reader.expects, source);
    output[name] = read;
  }
  return output as Partial<T>;
}

/** The error for an option with a value that it cannot have. */
export function wrongOption(
  name: string,
  value: unknown,
  expects: string,
  source: Pick<OptionSource, 'where' | 'code'>,
): LockError {
  return new LockError(source.code, `${source.where}: option "${name}" must be ${expects}, not ${describe(value)}.`);
}

/** The error for an option that does not exist. */
export function unknownOption(
  name: string,
  known: readonly string[],
  source: Pick<OptionSource, 'where' | 'code'>,
): LockError {
  const near = known.find((candidate) => distance(candidate.toLowerCase(), name.toLowerCase()) <= 2);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new LockError(
    source.code,
    `${source.where}: unknown option ${describe(name)}.${hint} Known options: ${known.join(', ')}.`,
  );
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `1500`, `250ms`, `30s`, `5m` or `1h` as ms. `undefined`: not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === 'Infinity') return Infinity;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (match === null) return undefined;
  // 1.1 m is 66 000 ms, and not what the product of the two floating-point numbers is.
  return Math.round(Number(match[1]) * (units[match[2] ?? 'ms'] ?? 1) * 1e6) / 1e6;
}

/** A whole number of ms within bounds. */
export function duration(least: number, most: number): OptionReader<number> {
  return {
    expects: `an integer from ${least} to ${most} (ms)`,
    accepts: (value): value is number => isWhole(value) && value >= least && value <= most,
    parse: parseDuration,
  };
}

/** A number of ms that may be `Infinity`. */
export function durationOrForever(least: number): OptionReader<number> {
  return {
    expects: `a number of ms of at least ${least}, or Infinity`,
    accepts: (value): value is number => typeof value === 'number' && value >= least,
    parse: parseDuration,
  };
}

/** A whole number within bounds. */
export function integer(least: number, most: number): OptionReader<number> {
  return {
    expects: `an integer from ${least} to ${most}`,
    accepts: (value): value is number => isWhole(value) && value >= least && value <= most,
    parse: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  };
}

/** `true` or `false`. */
export const flag: OptionReader<boolean> = {
  expects: 'true or false',
  accepts: (value): value is boolean => typeof value === 'boolean',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

/** One of a few words. */
export function oneOf<const T extends string>(...words: readonly T[]): OptionReader<T> {
  return {
    expects: words.map((word) => `"${word}"`).join(' or '),
    accepts: (value): value is T => words.includes(value as T),
    parse: (text) => words.find((word) => word === text),
  };
}

/** A string of at most `longest` characters that matches `pattern`. `expects` says so in words. */
export function matching(pattern: RegExp, expects: string): OptionReader<string> {
  return {
    expects,
    accepts: (value): value is string => typeof value === 'string' && pattern.test(value),
    parse: (text) => text,
  };
}

/** An object with at least these methods. Not readable from text. */
export function withMethods<T extends object>(expects: string, ...methods: readonly string[]): OptionReader<T> {
  return {
    expects,
    accepts: (value): value is T =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((method) => typeof (value as Readonly<Record<string, unknown>>)[method] === 'function'),
    parse: () => undefined,
  };
}

/** Levenshtein's: how many characters to insert, drop or replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column < row.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}
