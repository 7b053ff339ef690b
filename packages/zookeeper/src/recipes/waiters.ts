import type { Holder, KeyState, Waiter } from '@locks/core';
import { readNodeData, tokenIn } from '../nodes/node-data.ts';
import type { ReadNode } from '../nodes/nodes.ts';
import type { Contender } from './contenders.ts';

/** How many waiters an inspection names, as each is a request. */
const shown = 100;

/**
 * The waiters in a state, in order. `show` reads the node of one. `othersMode` is the mode of other
 * libraries' waiters whose node names do not contain it.
 */
export async function tellWaiters(
  waiters: readonly Contender[],
  show: (contender: Contender) => Promise<ReadNode | undefined>,
  othersMode?: Waiter['mode'],
): Promise<Pick<KeyState, 'waiters' | 'queue'>> {
  if (waiters.length === 0) return { waiters: 0 };
  const queue = await Promise.all(
    waiters.slice(0, shown).map(async (contender): Promise<Waiter | undefined> => {
      const read = await show(contender);
      if (read === undefined) return undefined;
      // Another library's node is identified by its name.
      const owner = readNodeData(read.data)?.owner;
      const { name, mode, permits } = contender;
      return owner === undefined
        ? { owner: name, mode: othersMode ?? mode }
        : { owner, mode, ...(permits !== undefined && { permits }) };
    }),
  );
  // One that has left in the meantime is omitted.
  return { waiters: waiters.length, queue: queue.filter((waiter) => waiter !== undefined) };
}

/** A holder in a state, by its node. `tokenless`: its node does not contain its token yet. */
export function tellHolder(
  { name, permits }: Pick<Contender, 'name' | 'permits'>,
  mode: Holder['mode'],
  { data, stat }: ReadNode,
  tokenless: boolean = false,
): Holder {
  const known = readNodeData(data);
  // Another library's node is identified by its name.
  if (known === undefined) return { owner: name, mode };
  const token = tokenless ? undefined : tokenIn(known, stat);
  return { owner: known.owner, mode, ...(permits !== undefined && { permits }), ...(token !== undefined && { token }) };
}
