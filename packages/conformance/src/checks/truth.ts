import assert from 'node:assert/strict';
import type { Lease } from '@locks/core';
import type { Call, Interference } from './interference.ts';
import { certain, now } from './time.ts';

/** In ms: how much earlier than here core may have noted the time of a call. */
const standstill = 20;

/** Until when a lease is certainly held, by what its provider was asked and what it answered. */
interface Certainty {
  /** In ms of `now()`: counted from the send of the last call that was answered in time. */
  readonly until: number;
  /** An answer came so close to the end that core may have had no time to heed it. */
  readonly doubtful: boolean;
}

/** The certainty about the lease of `owner` now. */
function certainty({ of }: Interference, owner: string): Certainty {
  let until = -Infinity;
  let doubtful = false;
  for (const call of [...of('tryAcquire', owner), ...of('renew', owner)]) {
    const end = endOf(call);
    if (end === undefined || call.answeredAt === undefined) continue;
    const first = until === -Infinity;
    // An answer after the end revives nothing.
    if (!first && call.answeredAt >= until) break;
    doubtful ||= !first && call.answeredAt >= until - call.claim.ttl / 4;
    until = Math.max(until, end);
  }
  return { until, doubtful };
}

/**
 * Fails if `held` contradicts the certainty. On a machine that stands still a lease may end: it
 * must only say so.
 */
export function mustTellTheTruth(lease: Lease, interference: Interference, when: string): void {
  const before = now();
  const { held } = lease;
  const after = now();
  const { until, doubtful } = certainty(interference, lease.owner);
  if (held) {
    assert.ok(
      before <= until,
      `expected held to be false ${when}: the validity ended ${Math.round(before - until)} ms ago`,
    );
  } else if (!doubtful) {
    // Core looked at its clock before the call was noted here, and a busy machine may have stood
    // still in between.
    assert.ok(
      after >= until - standstill,
      `expected held to be true ${when}: ${Math.round(until - after)} ms of its validity are left`,
    );
  }
}

/** How long the slowest call about the lease of `owner` took so far, in ms. */
export function slowestCall({ of }: Interference, owner: string): number {
  const calls = [...of('tryAcquire', owner), ...of('renew', owner)];
  return Math.max(...calls.map(({ sentAt, settledAt }) => (settledAt ?? now()) - sentAt));
}

function endOf({ answer, claim, sentAt }: Call): number | undefined {
  if (typeof answer !== 'object' || ('granted' in answer && !answer.granted)) return undefined;
  const validity = 'validity' in answer ? answer.validity : undefined;
  return sentAt + certain(validity ?? claim.ttl);
}
