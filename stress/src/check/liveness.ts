import type { ControlEvent } from '../log/events.ts';
import type { Claim } from './claims.ts';

/**
 * In microseconds: how long a claim may take when no fault is left. Generous, for a machine under
 * load.
 */
const recoveryBound = 30_000_000;
/** The same in a calm phase, where locks are held for moments: a wake that got lost shows here. */
const calmBound = 15_000_000;

/**
 * Without faults every claim is granted in time, and no call stays unanswered in a worker that
 * lived on.
 */
export function* checkLiveness(
  claims: readonly Claim[],
  control: readonly ControlEvent[],
  survivors: ReadonlySet<string>,
): Iterable<string> {
  const recoveries = control.flatMap((event) => (event.ev === 'phase' && event.phase === 'recovery' ? [event.t] : []));
  for (const claim of claims) {
    const answeredAt = claim.grantedAt ?? claim.endedAt;
    if (answeredAt === undefined) {
      if (survivors.has(claim.worker)) yield `${claim.id}: the call of ${claim.ask.how} was never answered`;
      continue;
    }
    const settled = claim.releasedAt !== undefined || claim.endedAt !== undefined;
    if (!settled && survivors.has(claim.worker)) yield `${claim.id}: release was never answered`;
    const since = calmBegin(claim, recoveries);
    if (since !== undefined && answeredAt - since > (claim.ask.calm ? calmBound : recoveryBound)) {
      yield `${claim.id} waited ${((answeredAt - since) / 1e6).toFixed(1)} s for "${claim.ask.key}" without any fault`;
    }
  }
}

/** From when on the claim had no fault to wait for; undefined if one came after its call. */
function calmBegin(claim: Claim, recoveries: readonly number[]): number | undefined {
  if (claim.ask.calm) return claim.calledAt;
  const answeredAt = claim.grantedAt ?? claim.endedAt ?? Infinity;
  return recoveries.find((at) => claim.calledAt <= at && answeredAt > at);
}
