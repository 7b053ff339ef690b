import type { Runtime } from '../time/runtime.ts';
import type { Asked, OptionReader } from './option-reader.ts';

/** An integer within bounds. */
export function integer(least: number, most: number): OptionReader<number> {
  return {
    expects: `an integer from ${least} to ${most}`,
    accepts: (value): value is number => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
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

/** A string that matches `pattern`, described by `expects`. */
export function matching(pattern: RegExp, expects: string): OptionReader<string> {
  return {
    expects,
    accepts: (value): value is string => typeof value === 'string' && pattern.test(value),
    parse: (text) => text,
  };
}

/** Any string. */
export const anyText: OptionReader<string> = matching(/^[^]*$/, 'a string');

/** Any string, hidden in messages. */
export const secretText: OptionReader<string> = { ...anyText, secret: true };

/** What `reader` accepts, or a function that returns it: see `askOption`. */
export function orFunction<T>(reader: OptionReader<T>): OptionReader<Asked<T>> {
  return {
    ...reader,
    expects: `${reader.expects}, or a function that returns it`,
    accepts: (value): value is Asked<T> => typeof value === 'function' || reader.accepts(value),
  };
}

/** A secret, or a function that returns it. Hidden in messages. */
export const secretOf: OptionReader<Asked<string>> = orFunction(secretText);

/** TLS: `true` or `false`, or options of `tls.connect`. */
export const tlsOptions: OptionReader<boolean | object> = {
  expects: 'true, false or an object of TLS options',
  accepts: (value): value is boolean | object =>
    typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  parse: flag.parse,
  // It may contain the text of a key.
  secret: true,
};

/** What a function for `tlsOptions` returns. It cannot decide whether TLS is used: it is. */
export const tlsAnswer: OptionReader<true | object> = {
  expects: 'true or an object of TLS options',
  accepts: (value): value is true | object => value === true || (typeof value === 'object' && value !== null),
  parse: () => undefined,
};

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

/** How option `runtime` is checked. */
export const runtimeReader: OptionReader<Runtime> = withMethods<Runtime>(
  'a Runtime',
  'setTimer',
  'clearTimer',
  'keepAlive',
  'random',
  'uniqueId',
);
