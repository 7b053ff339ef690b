import { type Granted, type Claim, isGranted } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';
import { groupBy } from './group-by.ts';

/** How long after its call a claim certainly has its position, in ms. */
const enqueued = 500;
/** How long after a fault a new claim certainly gets a position as usual, in ms. */
const aftermath = 3_000;

/**
 * Waiters of a fair store are granted in the order in which they came. Those that waited during a
 * fault or the end of a process have a position again `patience` ms later.
 */
export function* checkOrder(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  patience: number,
): Iterable<Violation> {
  const disturbances = events.flatMap((event) => {
    if (event.type === 'fault') return { from: event.from, at: event.at };
    return event.type === 'ended' ? { from: event.at, at: event.at } : [];
  });
  // A call for several keys waits for one after the other.
  const waits = ({ call: { mode, how, continues } }: Claim): boolean =>
    mode === 'exclusive' && how !== 'elect' && how !== 'multiLock' && continues === undefined;
  const waiters = claims.filter(isGranted).filter(waits);
  for (const [key, ofKey] of groupBy(waiters, ({ call }) => call.key)) {
    const byGrant = ofKey.toSorted((one, other) => one.grantedAt - other.grantedAt);
    for (const [index, claim] of byGrant.entries()) {
      const { calledAt, grantedAt } = claim;
      const disturbed = disturbances.reduce(
        (latest, { from, at }) => (from > grantedAt ? latest : Math.max(latest, at)),
        -Infinity,
      );
      const hadPosition = (other: Granted): boolean =>
        calledAt > other.calledAt + enqueued &&
        (other.calledAt > disturbed + aftermath || calledAt > disturbed + patience + enqueued);
      const first = earliest(byGrant.slice(index + 1).filter(hadPosition));
      if (first === undefined) continue;
      const message = `${claim.id} was granted "${key}" before ${first.id}, which waited ${(calledAt - first.calledAt).toFixed(0)} ms longer`;
      yield { rule: 'order', at: grantedAt, ids: [first.id, claim.id], message };
    }
  }
}

function earliest([first, ...others]: readonly Granted[]): Granted | undefined {
  return first && others.reduce((found, one) => (one.calledAt < found.calledAt ? one : found), first);
}
