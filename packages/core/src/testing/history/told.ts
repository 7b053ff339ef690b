import { type Claim, isGranted } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';

/** How late a fact may be recorded, in ms. */
const slack = 50;

/**
 * A holder is notified of the loss of its lease before the promised end, or as soon as its process
 * runs again. `stopping`: the kinds of faults in which a process does not run.
 */
export function* checkTold(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  stopping: ReadonlySet<string>,
): Iterable<Violation> {
  const stops = events
    .filter((event) => event.type === 'fault' && event.hit !== undefined && stopping.has(event.kind))
    .toSorted((one, other) => startOf(one) - startOf(other));
  for (const claim of claims.filter(isGranted)) {
    const { id, process, grantedAt, promisedUntil, lostAt, lostCode, releaseAt = Infinity } = claim;
    if (lostCode === 'LOCK_CLOSED') continue;
    let latest = Math.max(promisedUntil, grantedAt) + slack;
    for (const stop of stops) {
      const stands = stop.type === 'fault' && stop.hit === process && stop.from <= latest;
      if (stands) latest = Math.max(latest, stop.at + slack);
    }
    const at = Math.min(lostAt ?? Infinity, releaseAt);
    if (at === Infinity || at <= latest) continue;
    const late = `${(at - promisedUntil).toFixed(1)} ms after its promised end`;
    const message =
      at === lostAt ? `was notified of its loss ${late}` : `was released ${late}, and not notified of its loss`;
    yield { rule: 'told', at, ids: [id], message: `${id} ${message}` };
  }
}

function startOf(event: HistoryEvent): number {
  return event.type === 'fault' ? event.from : event.at;
}
