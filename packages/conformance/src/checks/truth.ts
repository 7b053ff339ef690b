import assert from 'node:assert/strict';
import type { Lease } from '@locks/core';
import type { Call, Interference } from './interference.ts';
import { certain, now } from './time.ts';

/**
 * How much earlier than here core may have recorded the time of a call, in ms: machines with other
 * work pause for so long. A lease that is reported lost by less too early is not found.
 */
const standstill = 100;

/** Until when a lease is certainly held, by the calls and answers of its provider. */
interface Certainty {
  /** In ms of `now()`: counted from the send of the last call answered in time. */
  readonly until: number;
  /** An answer came so close to the end that core may not have handled it in time. */
  readonly doubtful: boolean;
}

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
 * Fails if `held` contradicts the certainty. If the machine is suspended a lease may end: it must
 * only report that.
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
    // Core read its clock before the call was recorded here, and a busy machine may have paused in
    // between.
    assert.ok(
      after >= until - standstill,
      `expected held to be true ${when}: ${Math.round(until - after)} ms of its validity are left`,
    );
  }
}

/** The duration of the slowest call about the lease of `owner` so far, in ms. */
export function slowestCall({ of }: Interference, owner: string): number {
  const calls = [...of('tryAcquire', owner), ...of('renew', owner)];
  return Math.max(...calls.map(({ sentAt, settledAt }) => (settledAt ?? now()) - sentAt));
}

function endOf({ answer, claim, sentAt }: Call): number | undefined {
  if (typeof answer !== 'object' || ('granted' in answer && !answer.granted)) return undefined;
  const validity = 'validity' in answer ? answer.validity : undefined;
  return sentAt + certain(validity ?? claim.ttl);
}
