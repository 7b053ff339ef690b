import { printable } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';

/** The environment variable with the keys held around a command, one per line of text. */
const variable = 'LOCKS_HELD';

function heldKeys(): readonly string[] {
  return (process.env[variable] ?? '').split('\n').filter((line) => line !== '');
}

/** @throws `Failure` if an enclosing `run` holds `key`: each would wait for the other. */
export function refuseNested(key: string): void {
  if (!heldKeys().includes(printable(key))) return;
  throw new Failure(
    exitCode.usage,
    `An enclosing \`locks run\` holds "${printable(key)}" and would wait for itself. ` +
      'Leave the inner one out. If the outer one has ended, or has another store: env -u LOCKS_HELD locks run …',
  );
}

/** `LOCKS_HELD` for a command under `key`. */
export function withHeldKey(key: string): Readonly<Record<string, string>> {
  return { [variable]: [...heldKeys(), printable(key)].join('\n') };
}
