import type { RegisterEvent } from '../log/events.ts';
import type { Claim } from './claims.ts';
import { holdOf } from './claims.ts';
import { groupBy } from './group-by.ts';

/** No guarded write is lost, no stale one is taken, and none of a certain holder is refused. */
export function* checkWrites(events: readonly RegisterEvent[], claims: readonly Claim[]): Iterable<string> {
  const byId = new Map(claims.map((claim) => [claim.id, claim]));
  for (const [key, ofKey] of groupBy(events, (event) => event.key)) {
    let value = 0;
    let highest = 0n;
    for (const event of ofKey) {
      const token = BigInt(event.token);
      if (event.ev === 'refuse') {
        const claim = byId.get(event.id);
        const hold = claim === undefined ? undefined : holdOf(claim);
        if (hold !== undefined && hold.until > event.t) {
          yield `the register of "${key}" refused ${event.id} with token ${token} after ${highest}, which certainly held`;
        }
        continue;
      }
      if (token < highest) yield `the register of "${key}" took token ${token} of ${event.id} after ${highest}`;
      highest = token > highest ? token : highest;
      if (event.ev === 'read') continue;
      if (event.value !== value + 1) {
        yield `an update of "${key}" was lost: ${event.id} wrote ${event.value} over ${value}`;
      }
      value = event.value;
    }
    const accepted = ofKey.filter(({ ev }) => ev === 'accept').length;
    if (accepted !== value) yield `"${key}" counts ${value} after ${accepted} accepted writes`;
  }
}
