import type { Runtime } from '../time/runtime.ts';
import type { Asked, OptionReader } from './option-reader.ts';

/** A whole number within bounds. */
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

/** A string that matches `pattern`. `expects` says so in words. */
export function matching(pattern: RegExp, expects: string): OptionReader<string> {
  return {
    expects,
    accepts: (value): value is string => typeof value === 'string' && pattern.test(value),
    parse: (text) => text,
  };
}

/** Any string. */
export const anyText: OptionReader<string> = matching(/^[^]*$/, 'a string');

/** Any string, which no message shows. */
export const secretText: OptionReader<string> = { ...anyText, secret: true };

/** What `reader` accepts, or a function that gives it: see `askOption`. */
export function orFunction<T>(reader: OptionReader<T>): OptionReader<Asked<T>> {
  return {
    ...reader,
    expects: `${reader.expects}, or a function that gives it`,
    accepts: (value): value is Asked<T> => typeof value === 'function' || reader.accepts(value),
  };
}

/** A secret, or a function that gives it. No message shows it. */
export const secretOf: OptionReader<Asked<string>> = orFunction(secretText);

/** TLS: `true` or `false`, or options of `tls.connect`. */
export const tlsOptions: OptionReader<boolean | object> = {
  expects: 'true, false or an object of TLS options',
  accepts: (value): value is boolean | object =>
    typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  parse: flag.parse,
  // Some write the text of a key into it.
  secret: true,
};

/** What a function in place of `tlsOptions` gives. It does not say whether TLS is used: it is. */
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
