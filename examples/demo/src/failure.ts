import { isLockError } from '@locks/core';

/** The demo cannot go on, or has shown what it must not: one clear line, no stack. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** What to print about `error`: one line for what users can cause, the stack for a bug. */
export function messageOf(error: unknown): string {
  if (isLockError(error)) return `${error.code}: ${error.message}`.replaceAll(/\s*\n\s*/g, ' ');
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
