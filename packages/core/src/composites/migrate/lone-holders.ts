import type { Holder, KeyState, LockProvider } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import type { Runtime } from '../../time/runtime.ts';
import { isDirect } from './direct-holders.ts';
import type { DirectHolder } from './direct-holders.ts';
import { isOfAMigration } from './keys.ts';
import { oppositeOf } from './phase.ts';
import type { End } from './phase.ts';

/** More are not needed to say that there are some. */
const most = 100;
/** A claim in both has its place in the second store after so many ms. */
const pause = 500;

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
  const loneAt = async (key: string): Promise<readonly DirectHolder[]> => {
    const own = (await store.inspect(key)).holders.filter((holder) => lasts(holder, longer));
    if (own.length === 0 || !isUnused(await other.inspect(key))) return [];
    return own.map((holder) => ({ ...holder, key }));
  };
  const found: DirectHolder[] = [];
  for await (const key of store.list?.('') ?? []) {
    if (!isOfAMigration(key)) found.push(...(await loneAt(key)));
    if (found.length >= most) break;
  }
  if (found.length === 0) return found;
  // A claim in both begins in one store.
  await new Promise<void>((resolve) => runtime.setTimer(resolve, pause, true));
  const owners = new Set(found.map(({ owner }) => owner));
  const again = await Promise.all([...new Set(found.map(({ key }) => key))].map(loneAt));
  return again.flat().filter(({ owner }) => owners.has(owner));
}

function lasts(holder: Holder, longer: number): boolean {
  return !isDirect(holder) && (holder.remaining ?? 0) > longer;
}

function isUnused({ holders, waiters }: KeyState): boolean {
  return holders.length === 0 && waiters === 0;
}

/** Says so. */
export function describeLone(end: End, { key, owner, remaining = 0 }: DirectHolder): string {
  return `${JSON.stringify(key)} is held in "${end}" alone by ${owner}, for ${Math.ceil(remaining)} ms more`;
}

/** Why a process does not act under the other end. */
export function heldAlone(end: End, holder: DirectHolder): LockError {
  const message = `migrate: ${describeLone(end, holder)}. Phase "${oppositeOf(end)}" begins after that, or when it was released.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key: holder.key });
}
