import type { Holder, KeyState, LockProvider } from '../../contract.ts';
import type { Runtime } from '../../time/runtime.ts';
import { outerOwner } from '../members/member.ts';
import { isOfAMigration } from './keys.ts';

/** A hold, and its key. */
export interface KeyHolder extends Holder {
  readonly key: string;
}

/** More are not needed to say that there are some. */
const most = 100;

/**
 * Holds in `store` that were taken through `migrate`, on keys that `other` knows nothing of: keys
 * that rest, and leases of dead processes or on their way to another one. A process that uses
 * `other` alone would not see them. A claim in both is in that state for a moment; so they are looked
 * at again after `pause` ms. None where a store lists no keys.
 */
export async function findLoneHolders(
  store: LockProvider,
  other: LockProvider,
  runtime: Runtime,
  pause: number,
): Promise<readonly KeyHolder[]> {
  const found: KeyHolder[] = [];
  if (store.list === undefined) return found;
  for await (const key of store.list('')) {
    if (isOfAMigration(key)) continue;
    found.push(...(await loneAt(key, store, other)));
    if (found.length >= most) break;
  }
  if (found.length === 0) return found;
  await new Promise<void>((resolve) => runtime.setTimer(resolve, pause, true));
  const owners = new Set(found.map(({ owner }) => owner));
  const keys = new Set(found.map(({ key }) => key));
  const again = await Promise.all([...keys].map((key) => loneAt(key, store, other)));
  return again.flat().filter(({ owner }) => owners.has(owner));
}

async function loneAt(key: string, store: LockProvider, other: LockProvider): Promise<readonly KeyHolder[]> {
  const isShared = ({ owner }: Holder): boolean => outerOwner(owner) !== owner;
  const holders = (await store.inspect(key)).holders.filter(isShared);
  if (holders.length === 0 || !isUnused(await other.inspect(key))) return [];
  return holders.map((holder) => ({ ...holder, key }));
}

function isUnused({ holders, waiters }: KeyState): boolean {
  return holders.length === 0 && waiters === 0;
}
