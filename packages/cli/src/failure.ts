import { isLockError } from '@locks/core';
import type { LockErrorCode } from '@locks/core';

/**
 * The exit codes of `locks`. `run` exits with the code of its command, else with one of these.
 * Codes from 64 to 78 follow sysexits.h.
 */
export const exitCode = {
  /** `break` was not confirmed. */
  declined: 1,
  /**
   * `check`, `doctor`, `jobs --check`, a status or `migrate wait` found a fault, or the job does
   * not exist.
   */
  findings: 1,
  /** `migrate wait`: all processes are in the phase, but leases still need both stores. */
  mayGoOn: 3,
  /** `check` itself failed. */
  failed: 2,
  /** The command line is wrong. */
  usage: 64,
  /** The store does not answer. */
  unreachable: 69,
  /** A defect of this program. */
  internal: 70,
  /** The key was not free within `--wait`. */
  busy: 75,
  /** The lock was lost while the command ran, or an earlier run of the job left no exit code. */
  lost: 76,
  /** The configuration is wrong, or the store refuses it. */
  misconfigured: 78,
  /** As in a shell: the command cannot be run. */
  notExecutable: 126,
  /** As in a shell: the command does not exist. */
  notFound: 127,
  /** Plus the number of the signal that ended the command. */
  signal: 128,
} as const;

/** Ends the program with a message and an exit code. */
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
