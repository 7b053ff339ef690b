import { isLockError } from '@locks/core';
import type { RenewMessage } from '@locks/core';

/** The names of attributes. `error.type` is OpenTelemetry's. */
export const attribute = {
  provider: 'locks.provider',
  group: 'locks.group',
  mode: 'locks.mode',
  key: 'locks.key',
  owner: 'locks.owner',
  token: 'locks.token',
  ttl: 'locks.ttl',
  permits: 'locks.permits',
  attempts: 'locks.attempts',
  remaining: 'locks.remaining',
  holders: 'locks.holders',
  freed: 'locks.freed',
  acquireResult: 'locks.acquire.result',
  holdResult: 'locks.hold.result',
  renewalResult: 'locks.renewal.result',
  renewalDuration: 'locks.renewal.duration',
  lossCode: 'locks.loss.code',
  slowReason: 'locks.slow.reason',
  jobResult: 'locks.job.result',
  jobReason: 'locks.job.reason',
  errorType: 'error.type',
} as const;

/** How a lease ends in this process. */
export type HoldResult = 'released' | 'lost' | 'transferred';

/** Why a call ended without a lease. */
export interface Failure {
  readonly result: 'busy' | 'timeout' | 'aborted' | 'error';
  /** The code of the `LockError`. Absent: the call has not failed. */
  readonly errorType?: string;
}

/** Interprets `error` of `locks:giveup`. */
export function failureOf(error: unknown): Failure {
  if (error === undefined) return { result: 'busy' };
  // Only the caller's signal causes other errors, and their text is unbounded.
  if (!isLockError(error)) return { result: 'aborted' };
  return { result: error.code === 'LOCK_TIMEOUT' ? 'timeout' : 'error', errorType: error.code };
}

/** `unknown` if the renewal failed, or was not answered. */
export function renewalResultOf({ renewed, error }: RenewMessage): 'renewed' | 'refused' | 'unknown' {
  if (renewed) return 'renewed';
  return error === undefined ? 'refused' : 'unknown';
}

/** Ms as seconds, the unit of OpenTelemetry. */
export function seconds(ms: number): number {
  return ms / 1_000;
}
