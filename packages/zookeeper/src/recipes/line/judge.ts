import { sequenceLimit } from '../../nodes/sequence.ts';
import type { Verdict } from '../attempt-in-line.ts';
import { inOrder } from '../contenders.ts';
import type { Contender } from '../contenders.ts';

/**
 * The meaning of the place called `own`, first come, first served. An exclusive contender holds
 * when it is the first. A sharer holds when no exclusive contender and no sharer that waits is
 * before it, and, with n permits, fewer than n sharers are. `line` is in any order. O(n), for a
 * waiter of permits O(n log n).
 *
 * A waiter watches the nodes that wake as few as possible at a time:
 *
 * - Exclusive: the contender right before it.
 * - Shared: the nearest exclusive contender before it, since sharers enter together.
 * - One of n permits, behind sharers: the n nearest. It may enter when all but n - 1 of the sharers
 *   before it have gone, in any order. If it watched fewer, those could be the ones that stay.
 */
export function judge(line: readonly Contender[], own: string): Verdict {
  const me = line.find((contender) => contender.name === own);
  if (me === undefined) return { state: 'missing' };
  if (me.sequence >= sequenceLimit) return { state: 'exhausted', sequence: me.sequence };
  // Other libraries sort negative numbers to the front, and enter.
  const wrapped = line.find((contender) => contender.sequence >= 2 ** 31);
  if (wrapped !== undefined) return { state: 'exhausted', sequence: wrapped.sequence };
  // ZooKeeper gives no number to two: a node made by hand may have ours, and goes first.
  const before = line.filter((contender) => contender.sequence <= me.sequence && contender !== me);
  if (me.mode === 'exclusive') return waitFor(latest(before), before.length);
  const sharers = before.filter((contender) => contender.mode === 'shared');
  const writer = latest(before.filter((contender) => contender.mode === 'exclusive'));
  if (writer !== undefined) return waitFor(writer, before.length);
  const { permits } = me;
  const waits = (nodes: readonly Contender[]): Verdict => {
    return { state: 'waits', watch: nodes.map((contender) => contender.name), place: before.length };
  };
  if (permits !== undefined && sharers.length >= permits) return waits(sharers.toSorted(inOrder).slice(-permits));
  if (sharers.every((sharer) => sharer.permits === permits)) return { state: 'holds' };
  // One with fewer permits may wait before this one, which does not pass it.
  const sorted = sharers.toSorted(inOrder);
  const next = firstToWait(sorted);
  return next === -1 ? { state: 'holds' } : waits(sorted.slice(0, next + 1));
}

/** The index of the first of `sharers` that does not hold yet, as too many are before it. */
function firstToWait(sharers: readonly Contender[]): number {
  return sharers.findIndex(({ permits }, index) => index >= (permits ?? Infinity));
}

/** The holders and those that wait, in their order. */
export function holdersOf(line: readonly Contender[]): {
  readonly holders: readonly Contender[];
  readonly waiters: readonly Contender[];
} {
  const sorted = line.toSorted(inOrder);
  const writer = sorted.findIndex((contender) => contender.mode === 'exclusive');
  const sharers = sorted.slice(0, writer === -1 ? sorted.length : writer);
  const next = firstToWait(sharers);
  const count = writer === 0 ? 1 : next === -1 ? sharers.length : next;
  return { holders: sorted.slice(0, count), waiters: sorted.slice(count) };
}

function waitFor(contender: Contender | undefined, place: number): Verdict {
  return contender === undefined ? { state: 'holds' } : { state: 'waits', watch: [contender.name], place };
}

function latest(contenders: readonly Contender[]): Contender | undefined {
  return contenders.reduce<Contender | undefined>(
    (found, contender) => (found === undefined || contender.sequence > found.sequence ? contender : found),
    undefined,
  );
}
