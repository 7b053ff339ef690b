import { isLockError } from '../../errors/lock-error.ts';
import type { JobState } from '../../job-run.ts';
import type { Lease } from '../../lease.ts';
import type { JobRecord } from './job-record.ts';

/** What the end of a run changes besides its state. A stopped run is no try. */
export function outcomeOf({ slot, tries, failures }: JobRecord, state: JobState): Partial<JobRecord> {
  if (state === 'done') return { lastDone: slot, failures: 0 };
  return { tries: state === 'stopped' ? tries - 1 : tries, failures: failures + 1 };
}

/** How a run ended whose work threw. */
export function stateAfter(lease: Lease, signal: AbortSignal | undefined): JobState {
  if (signal?.aborted === true) return 'stopped';
  const { reason } = lease.signal as { reason: unknown };
  return isLockError(reason, 'LOCK_CLOSED') ? 'stopped' : isLockError(reason, 'LOCK_LOST') ? 'lost' : 'failed';
}

/** The error of the work, for the record. */
export function failureOf(error: unknown): Partial<JobRecord> {
  const { exitCode, message } = (typeof error === 'object' && error !== null ? error : {}) as Partial<
    Record<'exitCode' | 'message', unknown>
  >;
  const text = typeof message === 'string' ? message : String(error);
  return { error: text, ...(Number.isInteger(exitCode) ? { exitCode: exitCode as number } : {}) };
}
