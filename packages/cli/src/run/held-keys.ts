import { printable } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';

/** The environment variable with the keys that are held around a command, one in each line. */
const variable = 'LOCKS_HELD';

function heldKeys(): readonly string[] {
  return (process.env[variable] ?? '').split('\n').filter((line) => line !== '');
}

/** @throws `Failure` where a `run` around this one holds `key`, and would wait for this one. */
export function refuseNested(key: string): void {
  if (!heldKeys().includes(printable(key))) return;
  throw new Failure(
    exitCode.usage,
    `A \`locks run\` around this one holds "${printable(key)}" already, and would wait for itself. ` +
      'Leave the inner one out. If the outer one has ended, or has another store: env -u LOCKS_HELD locks run …',
  );
}

/** `LOCKS_HELD` for a command under `key`. */
export function withHeldKey(key: string): Readonly<Record<string, string>> {
  return { [variable]: [...heldKeys(), printable(key)].join('\n') };
}
