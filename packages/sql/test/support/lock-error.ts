import { expect } from 'vitest';

/** What `toMatchObject` finds in a `LockError` whose message has that text. */
export function lockError(code: string, message: string | RegExp): { readonly code: string; readonly message: string } {
  const found: unknown =
    typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
  return { code, message: found as string };
}
