import type { Contender } from '../contenders.ts';

/** From this number on no place is granted: ZooKeeper counts a node's children up to 2^31 - 1 and then makes duplicates. */
export const sequenceLimit: number = 2 ** 31 - 2 ** 20;

/** From here on whoever leaves removes the folder if it is empty, so that its numbers begin anew long before they are used up. */
export const renewedSequence: number = 2 ** 30;

/** What a contender's place in line means. */
export type Verdict =
  | { readonly state: 'holds' }
  /** Not its turn, and not before one of the nodes in `watch` has gone: then list and judge again. `place`: how many are before it. */
  | { readonly state: 'waits'; readonly watch: readonly string[]; readonly place: number }
  /** Its node is not there: released, or its session has ended. */
  | { readonly state: 'missing' }
  /** The key is shared with another number of permits: `inUse`, `undefined` for unlimited. */
  | { readonly state: 'refused'; readonly inUse: number | undefined }
  /** The sequence numbers of the key's node are used up, or have begun anew. */
  | { readonly state: 'exhausted'; readonly sequence: number };

/**
 * First come, first served: an exclusive contender holds when nobody is before it, a shared one when nobody exclusive is, and one of n
 * permits when also fewer than n sharers are. `line` is in any order; O(n), but O(n log n) for a waiter of permits.
 *
 * A waiter watches what wakes as few as possible at a time. Exclusive: the immediate predecessor. Shared: the nearest exclusive one
 * before it, since sharers enter together. Of n permits with sharers before it: the n nearest ones. It may enter when all but n - 1 of
 * those before it have gone, in any order; with fewer than n watched, all those could be the ones that stay.
 */
export function judge(line: readonly Contender[], own: string): Verdict {
  const me = line.find((contender) => contender.name === own);
  if (me === undefined) return { state: 'missing' };
  if (me.sequence >= sequenceLimit) return { state: 'exhausted', sequence: me.sequence };
  // Others sort those by their sign to the front, and enter.
  const wrapped = line.find((contender) => contender.sequence >= 2 ** 31);
  if (wrapped !== undefined) return { state: 'exhausted', sequence: wrapped.sequence };
  // Equal numbers are none that ZooKeeper gave to two: whoever has ours goes first.
  const before = line.filter((contender) => contender.sequence <= me.sequence && contender !== me);
  if (me.mode === 'exclusive') return waitFor(latest(before), before.length);
  const sharers = before.filter((contender) => contender.mode === 'shared');
  const first = earliest(sharers);
  if (first !== undefined && first.permits !== me.permits) return { state: 'refused', inUse: first.permits };
  const writer = latest(before.filter((contender) => contender.mode === 'exclusive'));
  if (writer !== undefined || me.permits === undefined || sharers.length < me.permits)
    return waitFor(writer, before.length);
  const nearest = sharers.toSorted(inOrder).slice(-me.permits);
  return { state: 'waits', watch: nearest.map((contender) => contender.name), place: before.length };
}

/** Who holds, first come first, and how many wait. */
export function standing(line: readonly Contender[]): {
  readonly holders: readonly Contender[];
  readonly waiters: number;
} {
  const sorted = line.toSorted(inOrder);
  const [first] = sorted;
  if (first === undefined) return { holders: [], waiters: 0 };
  const writer = sorted.findIndex((contender) => contender.mode === 'exclusive');
  const sharers = sorted.slice(0, writer === -1 ? sorted.length : writer);
  // Those of another number are about to be refused.
  const holders =
    writer === 0
      ? [first]
      : sharers.slice(0, first.permits ?? Infinity).filter((sharer) => sharer.permits === first.permits);
  return { holders, waiters: line.length - holders.length };
}

/** The nodes of one owner, first come first. More than one: a `create` was repeated whose reply had been lost. */
export function placesOf(line: readonly Contender[], uuid: string): Contender[] {
  return line.filter((contender) => contender.uuid === uuid).toSorted(inOrder);
}

function waitFor(contender: Contender | undefined, place: number): Verdict {
  return contender === undefined ? { state: 'holds' } : { state: 'waits', watch: [contender.name], place };
}

function inOrder(one: Contender, other: Contender): number {
  return one.sequence - other.sequence;
}

function latest(contenders: readonly Contender[]): Contender | undefined {
  return contenders.reduce<Contender | undefined>(
    (found, contender) => (found === undefined || contender.sequence > found.sequence ? contender : found),
    undefined,
  );
}

function earliest(contenders: readonly Contender[]): Contender | undefined {
  return contenders.reduce<Contender | undefined>(
    (found, contender) => (found === undefined || contender.sequence < found.sequence ? contender : found),
    undefined,
  );
}
