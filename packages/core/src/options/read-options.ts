import { LockError } from '../errors/lock-error.ts';
import { describe } from './key.ts';
import type { OptionReader, OptionReaders, OptionSource, ReadOption } from './option-reader.ts';
import { isShown, unknownOption } from './unknown-option.ts';

/** Options after they were read. */
export type ReadOptions<T> = { [Name in keyof T]?: ReadOption<T[Name]> };

/**
 * Checks `input` against `readers` and returns the options that are set. Throws with the name, the
 * value and the expected value, or for an unknown name with the known ones.
 */
export function readOptions<T extends object>(
  readers: OptionReaders<T>,
  input: object,
  source: OptionSource,
): ReadOptions<T> {
  const known = readers as Readonly<Record<string, OptionReader<unknown>>>;
  const output: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const reader = Object.hasOwn(known, name) ? known[name] : undefined;
    if (reader === undefined) throw unknownOption(name, Object.keys(known), source);
    const read: unknown = source.text && typeof value === 'string' ? reader.parse(value) : value;
    if (!reader.accepts(read)) throw wrongOption(name, value, reader, source);
    output[name] = read;
  }
  return output as ReadOptions<T>;
}

/** The error for an option with an invalid value. */
export function wrongOption(
  name: string,
  value: unknown,
  { expects, example, secret }: OptionReader<unknown>,
  { where, code, text }: OptionSource,
): LockError {
  const orText = text && example !== undefined ? `, or text such as ${example}` : '';
  // Arguments of a call are in the caller's code, and in no URL.
  const shown = secret ? describeSecret(value) : code === 'LOCK_INVALID' ? describe(value) : describeGiven(value);
  return new LockError(code, `${where}: option "${name}" must be ${expects}${orText}, not ${shown}.`);
}

/** A value of a configuration, unless it may hold a secret. */
export function describeGiven(value: unknown): string {
  return typeof value === 'string' && !isShown(value) ? describeSecret(value) : describe(value);
}

/** What `value` is, without showing it. */
export function describeSecret(value: unknown): string {
  if (typeof value === 'string') return 'the given text (not shown)';
  if (value === null) return 'null';
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
}
