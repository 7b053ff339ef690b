import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** Options that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The options and the other words of a command line. Throws a `UsageError` for an option that is
 * not among `options`.
 */
export function parse<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** What a number must be. */
export type NumberKind = 'a whole number' | 'a whole number above 0' | 'a number above 0';

/**
 * The number that option `name` has; `undefined` without one. Throws a `UsageError` that says what
 * it must be.
 */
export function numberOption(name: string, text: string | undefined, kind: NumberKind): number | undefined {
  if (text === undefined) return undefined;
  const { form, least } = kinds[kind];
  if (!form.test(text) || Number(text) < least) {
    throw new UsageError(`Option --${name} must be ${kind}, not "${text}".`);
  }
  return Number(text);
}

const kinds: Readonly<Record<NumberKind, { readonly form: RegExp; readonly least: number }>> = {
  'a whole number': { form: /^\d{1,9}$/, least: 0 },
  'a whole number above 0': { form: /^\d{1,9}$/, least: 1 },
  'a number above 0': { form: /^\d{1,4}(?:\.\d+)?$/, least: Number.MIN_VALUE },
};

/**
 * Runs a program: `main` with what `read` makes of the command line. Prints `help` where `read`
 * gives nothing, and after a `UsageError`, with exit code 2.
 */
export async function runProgram<Options>(
  help: string,
  read: (args: readonly string[]) => Options | undefined,
  main: (options: Options) => Promise<void>,
): Promise<void> {
  try {
    const options = read(process.argv.slice(2));
    if (options === undefined) process.stdout.write(`${help}\n`);
    else await main(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${help}\n`);
    process.exitCode = 2;
  }
}
