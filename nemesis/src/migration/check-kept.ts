import { readClaims } from '@locks/conformance/history';
import type { RunLog } from '../log/events.ts';
import { historyOf } from '../log/history-of.ts';

/** The lease that is held all the time: no fault of others ends it, and no change. */
export function* checkKept(log: RunLog): Iterable<string> {
  const leases = readClaims(historyOf(log)).filter(
    ({ id, grantedAt }) => /\/keeper\/\d+$/.test(id) && grantedAt !== undefined,
  );
  if (leases.length === 0) yield 'no process kept a lease';
  for (const { id, lostAt, lostCode, answer } of leases) {
    if (lostAt !== undefined) yield `the lease that is kept was lost: ${id} (${lostCode})`;
    if (answer !== true) yield `the lease that is kept was not held until its release: ${id} (${answer})`;
  }
}
