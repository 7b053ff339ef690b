import type { Holder, LockProvider } from '@locks/core';
import type { Runtime } from '@locks/core/adapter';
import { outerOwner } from '../members/member.ts';
import { isOfAMigration } from './keys.ts';
import type { End } from './phase.ts';

/** A lock of a process that does not take part, and so cannot be seen by the others. */
export interface DirectHolder extends Holder {
  /** The key that is locked. */
  readonly key: string;
}

/** So many keys are looked at together. */
const together = 8;
/** More holders are not looked for: they would take long where a store has many keys. */
const most = 100;
/** A claim in both has its place in the second store after so many ms. */
const pause = 500;

/** The holders of locks in `store`. None where it lists no keys. */
async function* holdersIn(store: LockProvider): AsyncIterable<DirectHolder> {
  const keys: string[] = [];
  for await (const key of store.list?.('') ?? []) {
    if (isOfAMigration(key)) continue;
    keys.push(key);
    if (keys.length === together) yield* await holdersOf(store, keys.splice(0));
  }
  yield* await holdersOf(store, keys);
}

async function holdersOf(store: LockProvider, keys: readonly string[]): Promise<readonly DirectHolder[]> {
  const states = await Promise.all(keys.map((key) => store.inspect(key)));
  return states.flatMap(({ holders }, index) => holders.map((holder) => ({ ...holder, key: keys[index] as string })));
}

/** Whether it was taken without a composite. */
function isDirect({ owner }: Holder): boolean {
  return outerOwner(owner) === owner;
}

/**
 * Locks in `store` that were not taken through `migrate`: `limit` of them, or a hundred. `known`:
 * keys that had one. A store that lists no keys hides them.
 */
export async function findDirect(
  store: LockProvider,
  limit: number = most,
  known: readonly string[] = [],
): Promise<readonly DirectHolder[]> {
  const found = (await holdersOf(store, known)).filter(isDirect);
  if (found.length >= limit) return found;
  for await (const holder of holdersIn(store)) {
    if (isDirect(holder)) found.push(holder);
    if (found.length >= limit) break;
  }
  return found;
}

/**
 * Holds in `store` that were taken through `migrate`, and last for more than `longer` ms, on keys
 * that `other` knows nothing of. They are rests, leases on their way to another process, or those
 * of dead processes. A process that uses `other` alone does not see them. None where a store lists
 * no keys.
 */
export async function findLoneHolders(
  store: LockProvider,
  other: LockProvider,
  runtime: Runtime,
  longer: number,
): Promise<readonly DirectHolder[]> {
  const isLone = async (holder: DirectHolder): Promise<boolean> => {
    if (isDirect(holder) || (holder.remaining ?? 0) <= longer) return false;
    const { holders, waiters } = await other.inspect(holder.key);
    return holders.length === 0 && waiters === 0;
  };
  const found = new Map<string, DirectHolder>();
  for await (const holder of holdersIn(store)) {
    if (await isLone(holder)) found.set(holder.owner, holder);
    if (found.size >= most) break;
  }
  if (found.size === 0) return [];
  // A claim in both begins in one store.
  await new Promise<void>((resolve) => runtime.setTimer(resolve, pause, true));
  const keys = new Set([...found.values()].map(({ key }) => key));
  const again = (await holdersOf(store, [...keys])).filter(({ owner }) => found.has(owner));
  const lone = await Promise.all(again.map(isLone));
  return again.filter((_, index) => lone[index]);
}

/** Says so. */
export function describeLone(end: End, { key, owner, remaining = 0 }: DirectHolder): string {
  return `${JSON.stringify(key)} is held in "${end}" alone by ${owner}, for ${Math.ceil(remaining)} ms more`;
}
