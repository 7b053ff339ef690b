import type { Claim, Hold } from './claims.ts';
import { holdOf } from './claims.ts';
import { groupBy } from './group-by.ts';

/** Two holds that exclude each other never overlap, and permits are never exceeded. */
export function* checkExclusion(claims: readonly Claim[]): Iterable<string> {
  const byKey = groupBy(
    claims.flatMap((claim) => holdOf(claim) ?? []),
    ({ claim }) => claim.ask.key,
  );
  for (const [key, holds] of byKey) yield* checkKey(key, holds);
}

function* checkKey(key: string, holds: readonly Hold[]): Iterable<string> {
  let active: Hold[] = [];
  for (const hold of holds.toSorted((one, other) => one.from - other.from)) {
    active = active.filter(({ until }) => until > hold.from);
    const rival = active.find((other) => excludes(hold.claim, other.claim));
    if (rival !== undefined) {
      yield (
        `two holders of "${key}": ${hold.claim.id} from ${hold.from}, while ${rival.claim.id} certainly held from ` +
        `${rival.from} until ${rival.until} (${((rival.until - hold.from) / 1_000).toFixed(1)} ms)`
      );
    }
    active.push(hold);
    const { permits = Infinity } = hold.claim.ask;
    const sharers = active.filter(({ claim }) => claim.ask.mode === 'shared');
    if (hold.claim.ask.mode === 'shared' && sharers.length > permits) {
      const ids = sharers.map(({ claim }) => claim.id).join(', ');
      yield `${sharers.length} holders of the ${permits} permits of "${key}" at ${hold.from}: ${ids}`;
    }
  }
}

function excludes(one: Claim, other: Claim): boolean {
  return one.ask.mode === 'exclusive' || other.ask.mode === 'exclusive';
}
