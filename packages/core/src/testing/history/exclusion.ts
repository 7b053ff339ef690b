import type { Claim, Hold } from './claims.ts';
import { holdOf } from './claims.ts';
import type { Violation } from './events.ts';
import { groupBy } from './group-by.ts';

/** In each slot of a key at most one call is granted. */
export function* checkSlots(claims: readonly Claim[]): Iterable<Violation> {
  const granted = claims.filter(
    ({ call, grantedAt, forgottenAt }) =>
      call.slot !== undefined && grantedAt !== undefined && forgottenAt === undefined,
  );
  for (const [name, runs] of groupBy(granted, ({ call }) => `"${call.key}" in ${call.slot}`)) {
    const ids = runs.map(({ id }) => id);
    const at = Math.max(...runs.map(({ grantedAt = 0 }) => grantedAt));
    if (runs.length > 1)
      yield { rule: 'slots', at, ids, message: `${name} ran ${runs.length} times: ${ids.join(', ')}` };
  }
}

/** Two holds that exclude each other never overlap, and permits are never exceeded. */
export function* checkExclusion(claims: readonly Claim[]): Iterable<Violation> {
  const byKey = groupBy(
    claims.flatMap((claim) => holdOf(claim) ?? []),
    ({ claim }) => claim.call.key,
  );
  for (const [key, holds] of byKey) yield* checkKey(key, holds);
}

function* checkKey(key: string, holds: readonly Hold[]): Iterable<Violation> {
  let active: Hold[] = [];
  for (const hold of holds.toSorted((one, other) => one.from - other.from)) {
    const { claim, from } = hold;
    active = active.filter(({ until }) => until > from);
    const rival = active.find((other) => excludes(claim, other.claim));
    if (rival !== undefined) {
      const overlap = Math.min(rival.until, hold.until) - from;
      const message =
        `two holders of "${key}": ${claim.id} was granted, while ${rival.claim.id} certainly held it for ` +
        `${(rival.until - from).toFixed(1)} ms more (an overlap of ${overlap.toFixed(1)} ms)`;
      yield { rule: 'exclusion', at: from, ids: [rival.claim.id, claim.id], message };
    }
    active.push(hold);
    if (claim.call.mode === 'exclusive') continue;
    // By their tokens: holders may report their grants in another order.
    const sharers = active
      .flatMap((other) => (other.claim.call.mode === 'shared' ? other.claim : []))
      .toSorted(({ token: one = 0n }, { token: other = 0n }) => Number(one - other));
    const taken = (until: number): number =>
      sharers.slice(0, until + 1).reduce((sum, { call: { count = 1 } }) => sum + count, 0);
    const last = sharers.findLastIndex(({ call: { permits = Infinity } }, index) => taken(index) > permits);
    if (last === -1) continue;
    const ids = sharers.slice(0, last + 1).map(({ id }) => id);
    const message = `${taken(last)} holders of the ${sharers[last]?.call.permits} permits of "${key}": ${ids.join(', ')}`;
    yield { rule: 'exclusion', at: from, ids, message };
  }
}

function excludes(one: Claim, other: Claim): boolean {
  return one.call.mode === 'exclusive' || other.call.mode === 'exclusive';
}
