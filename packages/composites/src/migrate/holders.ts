import type { Holder, KeyState, LockProvider } from '@locks/core';
import { outerOwner } from '../members/member.ts';
import { keysOfMigrations } from './keys.ts';

/** A lock that one store of a migration has. */
export interface StoreHolder extends Holder {
  /** The key that is locked. */
  readonly key: string;
  /** It was taken without `migrate`, so processes in the other store do not see it. */
  readonly plain: boolean;
}

type Asked = Pick<LockProvider, 'inspect' | 'list'>;

/** How many keys are read together. */
const together = 8;
/** The most of each kind that are named: more would take long if a store has many keys. */
const most = 100;
/** In ms: within this time a claim in both stores has its position in the second one. */
const halfway = 500;

/** What only one store has, and what both have. */
export interface FoundHolders {
  readonly alone: readonly StoreHolder[];
  readonly inBoth: readonly StoreHolder[];
}

/**
 * The locks in `store`: at most a hundred of each kind. None if it lists no keys. A claim in both
 * stores begins in one: a lock in one store counts if it is still so after a pause.
 */
export async function findHolders(
  store: Asked,
  other: Asked,
  pause: (ms: number) => Promise<unknown>,
): Promise<FoundHolders> {
  const alone: StoreHolder[] = [];
  const inBoth: StoreHolder[] = [];
  let seen: StoreHolder[] = [];
  const compareAll = (keys: Iterable<string>): Promise<FoundHolders[]> =>
    Promise.all([...keys].map((key) => compare(key, store, other)));
  const look = async (keys: readonly string[]): Promise<void> => {
    const found = await compareAll(keys);
    seen.push(...found.flatMap((each) => each.alone));
    inBoth.push(...found.flatMap((each) => each.inBoth).slice(0, most - inBoth.length));
  };
  const lookAgain = async (): Promise<void> => {
    if (seen.length === 0) return;
    await pause(halfway);
    const still = (await compareAll(new Set(seen.map(({ key }) => key)))).flatMap((each) => each.alone);
    alone.push(...still.filter(({ key, owner }) => seen.some((each) => each.owner === owner && each.key === key)));
    seen = [];
  };
  const keys: string[] = [];
  for await (const key of store.list?.('') ?? []) {
    if (key.startsWith(keysOfMigrations)) continue;
    keys.push(key);
    if (keys.length === together) await look(keys.splice(0));
    if (seen.length >= most) await lookAgain();
    if (alone.length >= most) break;
  }
  await look(keys);
  await lookAgain();
  return { alone: alone.slice(0, most), inBoth };
}

async function compare(key: string, store: Asked, other: Asked): Promise<FoundHolders> {
  const { holders } = await store.inspect(key);
  if (holders.length === 0) return { alone: [], inBoth: [] };
  const there = await other.inspect(key);
  const told = holders.map((holder) => ({ ...holder, key, plain: outerOwner(holder.owner) === holder.owner }));
  const inOther = ({ owner }: Holder): boolean => there.holders.some((each) => isOf(each, owner));
  return {
    alone: told.filter((each) => !inOther(each) && (each.plain || !mayWait(there, each.owner))),
    inBoth: told.filter((each) => !each.plain && inOther(each)),
  };
}

/** It holds one store while it waits for the other one: others see it in both. */
function mayWait({ queue, waiters }: KeyState, owner: string): boolean {
  return queue === undefined ? waiters > 0 : queue.some((each) => isOf(each, owner));
}

function isOf(each: { readonly owner: string }, owner: string): boolean {
  return outerOwner(each.owner) === outerOwner(owner);
}
