import type { Claim } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';

/** How long a claim may wait without any fault, in ms. */
export interface LivenessBounds {
  /** One that was waiting when the faults ended. */
  readonly healed: number;
  /** One of a calm phase. */
  readonly calm: number;
}

/**
 * Without faults every claim is answered in time, and no call stays unanswered in a process that
 * was not killed.
 */
export function* checkLiveness(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  bounds: LivenessBounds,
): Iterable<Violation> {
  const killed = new Set(events.flatMap((event) => (event.type === 'ended' && event.killed ? [event.process] : [])));
  const heals = events.flatMap((event) => (event.type === 'healed' ? [event.at] : []));
  for (const claim of claims) {
    const { id, call, process, calledAt } = claim;
    const broken = (at: number, message: string): Violation => ({ rule: 'liveness', at, ids: [id], message });
    const answeredAt = claim.grantedAt ?? claim.endedAt;
    if (answeredAt === undefined) {
      if (!killed.has(process)) yield broken(calledAt, `${id}: the call of ${call.how} was never answered`);
      continue;
    }
    const { releaseAt, releasedAt, endedAt, lostAt } = claim;
    // A lost lease need not be released.
    const settled = releasedAt ?? endedAt ?? (releaseAt === undefined ? lostAt : undefined);
    if (settled === undefined && !killed.has(process)) {
      const what = releaseAt === undefined ? 'it was neither released nor lost' : 'release was never answered';
      yield broken(answeredAt, `${id}: ${what}`);
    }
    const since = call.calm === true ? calledAt : heals.find((at) => calledAt <= at && answeredAt > at);
    const bound = call.calm === true ? bounds.calm : bounds.healed;
    if (since === undefined || answeredAt - since <= bound) continue;
    const waited = answeredAt - since - disturbed(events, since, answeredAt);
    if (waited <= bound) continue;
    yield broken(answeredAt, `${id} waited ${(waited / 1_000).toFixed(1)} s for "${call.key}" without any fault`);
  }
}

/** For how long there was any fault, such as a stall of the machine, in ms. */
function disturbed(events: readonly HistoryEvent[], since: number, until: number): number {
  const faults = events.flatMap((event) => (event.type === 'fault' ? [{ from: event.from, to: event.at }] : []));
  let [total, reached] = [0, since];
  for (const { from, to } of faults.toSorted((one, other) => one.from - other.from)) {
    total += Math.max(0, Math.min(to, until) - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return total;
}
