import { LockError, misconfigured } from '../errors/lock-error.ts';
import type { Asked, OptionReader } from '../options/option-reader.ts';
import { describeSecret } from '../options/read-options.ts';
import { outsideContext } from '../time/outside-context.ts';
import type { Runtime } from '../time/runtime.ts';
import { createDeadline } from './deadline.ts';

/** How to read an option that may be a function. */
export interface Asking<T> {
  /** The package, for messages: `@locks/redis`. */
  readonly where: string;
  /** The option, for messages. */
  readonly name: string;
  /** What its function must return. */
  readonly reader: OptionReader<T>;
  /** Its timers limit the function. */
  readonly runtime: Runtime;
  /** How long the function may take, in ms. */
  readonly within: number;
}

/**
 * The present value of `option`. A function is called outside of the caller's asynchronous context.
 * No message contains what it returned.
 * @throws `LOCK_UNAVAILABLE` when the function fails (`cause` is its error) or takes longer than
 * `within` ms. `LOCK_MISCONFIGURED` when it returns what `reader` does not accept.
 */
export async function askOption<T>(option: Asked<T>, { where, name, reader, runtime, within }: Asking<T>): Promise<T> {
  if (typeof option !== 'function') return option;
  const ask = option as () => T | Promise<T>;
  const what = `the function of option "${name}"`;
  const deadline = createDeadline(runtime, within, `${where}: ${what}`);
  try {
    const answer: unknown = await deadline.race<unknown>(
      outsideContext(async () => await ask()),
      'a new connection',
      within,
      (cause) => {
        throw new LockError('LOCK_UNAVAILABLE', `${where}: ${what} failed; see the cause.`, { cause });
      },
    );
    if (reader.accepts(answer)) return answer;
    const shown = answer === undefined ? 'undefined' : describeSecret(answer);
    throw misconfigured(where, `${what} must return ${reader.expects}, and returned ${shown}`);
  } finally {
    deadline.stop();
  }
}

/** The options that `readers` name, each read as by `askOption`. Throws the same errors. */
export async function askOptions<T extends object>(
  options: { readonly [Name in keyof T]?: Asked<T[Name]> | undefined },
  readers: { readonly [Name in keyof T]: OptionReader<T[Name]> },
  asking: Omit<Asking<never>, 'name' | 'reader'>,
): Promise<{ readonly [Name in keyof T]: T[Name] | undefined }> {
  const names = Object.keys(readers) as (keyof T & string)[];
  const answers = names.map(async (name) => {
    const option = options[name];
    return [name, option && (await askOption(option, { ...asking, name, reader: readers[name] }))] as const;
  });
  return Object.fromEntries(await Promise.all(answers)) as { [Name in keyof T]: T[Name] | undefined };
}
