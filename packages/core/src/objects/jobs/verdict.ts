import type { JobState } from '../../job-run.ts';
import type { JobRecord } from './job-record.ts';

/** When a slot with an unsuccessful run opens again. */
export interface RetryPolicy {
  /** How many retries a slot has. */
  readonly retries: number;
  /** In ms after the end of the last run. */
  readonly after: number;
}

/** What the record of a job says about one slot. `open`: it may run now. */
export type Verdict = 'open' | 'running' | 'done' | 'failed' | 'passed';

/**
 * What a call for `slot` may do. `running`: a run began and did not end, in this slot or in an
 * earlier one. Only the holder of the job's lock knows whether it is still running. `now`: ms since
 * 1970, by the same clock as `ended`.
 */
export function verdictOf(record: JobRecord | undefined, slot: number, policy: RetryPolicy, now: number): Verdict {
  if (record === undefined) return 'open';
  if (record.slot > slot) return 'passed';
  if (record.state === 'running') return 'running';
  if (record.slot < slot || record.state === 'open') return 'open';
  if (record.state === 'done') return 'done';
  const at = retryAt(record, slot, policy);
  return at !== undefined && now >= at ? 'open' : 'failed';
}

/**
 * When a slot with an unsuccessful run opens again, in ms since 1970. 0: now. `undefined`: never,
 * or its run did not end so.
 */
export function retryAt(
  record: JobRecord | undefined,
  slot: number,
  { retries, after }: RetryPolicy,
): number | undefined {
  if (record?.slot !== slot || !isFailure(record.state)) return undefined;
  // A stopped run is no try, so "keep" must be checked first.
  if (retries === 0 || record.tries > retries) return undefined;
  return after === 0 ? 0 : (record.ended ?? 0) + after;
}

function isFailure(state: JobState): boolean {
  return state !== 'running' && state !== 'done' && state !== 'open';
}

/** A record of a run that ended without a report: its lock is free. */
export function crashed(record: JobRecord): JobRecord {
  return { ...record, state: 'crashed', failures: record.failures + 1 };
}

/** The next run of `slot`, after `record`. */
export function begun(
  record: JobRecord | undefined,
  run: Pick<JobRecord, 'slot' | 'run' | 'by' | 'began' | 'next'>,
): JobRecord {
  const again = record?.slot === run.slot && record.state !== 'open';
  return {
    ...run,
    state: 'running',
    tries: again ? record.tries + 1 : 1,
    failures: record?.failures ?? 0,
    lastDone: record?.lastDone,
  };
}
