import { isLockError } from '@locks/core';
import type { LockErrorCode } from '@locks/core';
import { exitCode } from './exit-code.ts';

/** What ends the program with a message and a code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = code;
  }
}

const codes: Readonly<Record<LockErrorCode, number>> = {
  LOCK_TIMEOUT: exitCode.busy,
  LOCK_OVERLOADED: exitCode.busy,
  LOCK_LOST: exitCode.lost,
  LOCK_UNAVAILABLE: exitCode.unreachable,
  LOCK_MISCONFIGURED: exitCode.misconfigured,
  LOCK_INVALID: exitCode.usage,
  LOCK_DEADLOCK: exitCode.usage,
  LOCK_STALE: exitCode.lost,
  LOCK_CLOSED: exitCode.internal,
};

/** The exit code for `error`. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exitCode;
  return isLockError(error) ? codes[error.code] : exitCode.internal;
}

/** What `error` says, and the errors underneath it, one after the other. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  for (
    let next = error;
    next !== undefined && texts.length < 5;
    next = next instanceof Error ? next.cause : undefined
  ) {
    const text = textOf(next);
    // Many messages quote their cause.
    if (text !== '' && !texts.some((other) => other.includes(text))) texts.push(text);
  }
  return texts.join(' Cause: ');
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node gives an error without a text where each address of a host refused the connection.
  const all = error instanceof AggregateError ? error.errors.map(textOf).join(', ') : '';
  return error.message || all || (error as NodeJS.ErrnoException).code || error.name;
}
