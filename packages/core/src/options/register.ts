import type { RegisterChange } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { describe } from './key.ts';

/** The longest text of a register. */
export const longestText = 200;
/** The longest one of a store. A composite adds 25 characters, and two may be nested. */
export const longestOfStores = 250;

/**
 * Throws `LOCK_INVALID` unless `name` has 1 to 250 characters of `!` to `~`, and each text of
 * `change` 1 to `longest` of them.
 */
export function checkRegister(name: string, change?: RegisterChange, longest: number = longestOfStores): void {
  check(name, 250, 'The name of a register');
  for (const text of [change?.from, change?.to]) if (text !== undefined) check(text, longest, 'A text of a register');
}

function check(text: unknown, most: number, what: string): void {
  if (typeof text === 'string' && text.length <= most && /^[!-~]+$/.test(text)) return;
  const expected = `1 to ${most} printable ASCII characters without spaces`;
  throw new LockError('LOCK_INVALID', `${what} must be ${expected}, not ${describe(text)}.`);
}
