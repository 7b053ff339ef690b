import type { JobRun } from '../../job-run.ts';
import type { JobRecord } from './job-record.ts';

/** The least delay of an overdue run, in ms. With less, slow starts raise alarms. */
const leastDelay = 60_000;

/** A record for users. `now`: ms since 1970, by the clock of the store. */
export function runOf(key: string, record: JobRecord, now: number): JobRun {
  const { slot, state, by, began, ended, tries, failures, lastDone, next, exitCode, error } = record;
  return {
    key,
    state,
    slot: slotOf(slot),
    by,
    began: new Date(began),
    ...(ended === undefined ? {} : { ended: new Date(ended) }),
    tries,
    failures,
    ...(lastDone === undefined ? {} : { lastDone: slotOf(lastDone) }),
    ...(next === undefined ? {} : { next: new Date(next) }),
    overdue: next !== undefined && now > next + Math.max((next - slot) / 10, leastDelay),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(error === undefined ? {} : { error }),
  };
}

function slotOf(slot: number): Date | 'ever' {
  return slot === 0 ? 'ever' : new Date(slot);
}
