import type { Claim } from './claims.ts';
import { holdOf } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';
import { groupBy } from './group-by.ts';

type Write = Extract<HistoryEvent, { readonly type: 'read' | 'written' | 'refused' }>;

/**
 * The guarded resource loses no write, accepts no stale one, and refuses none of a certain holder.
 * Each writer adds 1 to the value that it read.
 */
export function* checkWrites(events: readonly HistoryEvent[], claims: readonly Claim[]): Iterable<Violation> {
  const byId = new Map(claims.map((claim) => [claim.id, claim]));
  const writes = events.filter((event): event is Write => 'key' in event && 'id' in event);
  for (const [key, ofKey] of groupBy(writes, (event) => event.key)) {
    let value = 0;
    let highest = 0n;
    let last: string | undefined;
    for (const { type, id, at, token: text, value: written } of ofKey) {
      const token = BigInt(text);
      const broken = (message: string): Violation => ({
        rule: 'writes',
        at,
        ids: last === undefined ? [id] : [last, id],
        message,
      });
      if (type === 'refused') {
        const claim = byId.get(id);
        const hold = claim === undefined ? undefined : holdOf(claim);
        // The resource remembers tokens that a restored store does not know.
        if (hold !== undefined && hold.claim.era === 0 && hold.until > at) {
          yield broken(`"${key}" refused ${id} with token ${token} after ${highest}, which certainly held`);
        }
        continue;
      }
      if (token < highest) yield broken(`"${key}" took token ${token} of ${id} after ${highest}`);
      highest = token > highest ? token : highest;
      if (type === 'read') continue;
      if (written !== value + 1) yield broken(`a write of "${key}" was lost: ${id} wrote ${written} over ${value}`);
      value = written;
      last = id;
    }
  }
}
