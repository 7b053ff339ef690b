import { type Granted, type Claim, isGranted } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';
import { groupBy } from './group-by.ts';

/** How long after its call a claim certainly has its position, in ms. */
const enqueued = 500;
/** How long after a fault waiters may have lost their positions, in ms. */
const aftermath = 3_000;

/**
 * Waiters of a fair store are granted in the order in which they came, unless a fault or the end of
 * a process interferes.
 */
export function* checkOrder(claims: readonly Claim[], events: readonly HistoryEvent[]): Iterable<Violation> {
  const disturbances = events.flatMap((event) => {
    if (event.type === 'fault') return { from: event.from, at: event.at };
    return event.type === 'ended' ? { from: event.at, at: event.at } : [];
  });
  const isQuiet = (from: number, to: number): boolean =>
    disturbances.every((each) => each.from > to || each.at + aftermath < from);
  const waits = ({ call: { mode, how, continues } }: Claim): boolean =>
    mode === 'exclusive' && how !== 'elect' && continues === undefined;
  const waiters = claims.filter(isGranted).filter(waits);
  for (const [key, ofKey] of groupBy(waiters, ({ call }) => call.key)) {
    const byGrant = ofKey.toSorted((one, other) => one.grantedAt - other.grantedAt);
    let first: Granted | undefined;
    // From the last grant to the first: `first` came first of those granted later.
    for (const claim of byGrant.toReversed()) {
      if (
        first !== undefined &&
        claim.calledAt > first.calledAt + enqueued &&
        isQuiet(first.calledAt, claim.grantedAt)
      ) {
        const message = `${claim.id} was granted "${key}" before ${first.id}, which waited ${(claim.calledAt - first.calledAt).toFixed(0)} ms longer`;
        yield { rule: 'order', at: claim.grantedAt, ids: [first.id, claim.id], message };
      }
      if (first === undefined || claim.calledAt < first.calledAt) first = claim;
    }
  }
}
