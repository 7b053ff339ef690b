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
