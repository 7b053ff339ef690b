import type { Claim } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import { txn } from '../wire/calls.ts';
import type { KeyValue, TxnAnswer } from '../wire/messages.ts';
import { isHeld, removal } from './algorithm.ts';
import type { Parts } from './parts.ts';
import { readEntry } from './queue.ts';

/** Removes the claim. Resolves to `true` if it was a hold. */
export async function release(
  { members, keys, leases, owners, places, clock }: Parts,
  claim: Claim,
  timeout: number,
): Promise<boolean> {
  const { key, owner } = claim;
  const own = owners.take(owner);
  const hold = own?.hold;
  const request = removal(keys.claim(key, owner));
  const send = (within: number): Promise<TxnAnswer> => members.call(txn, request, 'a release', { within });
  const end = clock.now() + timeout;
  let removed: TxnAnswer;
  try {
    removed = await send(members.patience).catch(async (error: unknown) => {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
      // The connection may predate a pause of this process.
      const again = await send(Math.max(1, end - clock.now()));
      // The first request may have freed it.
      const isUnknown =
        prevKvsOf(again).length === 0 && hold !== undefined && own !== undefined && own.until > clock.now();
      if (isUnknown) throw error;
      return again;
    });
  } catch (error) {
    places.leave(key, owner, true);
    if (hold !== undefined) leases.end(hold.id);
    throw error;
  }
  places.leave(key, owner, false);
  const [kv] = prevKvsOf(removed);
  const entry = kv === undefined ? undefined : readEntry(kv, keys);
  if (hold !== undefined) {
    if (hold.id === entry?.lease) leases.give(hold);
    else leases.end(hold.id);
  }
  return entry !== undefined && isHeld(entry);
}

function prevKvsOf({ responses }: TxnAnswer): readonly KeyValue[] {
  return responses[0]?.responseDeleteRange?.prevKvs ?? [];
}
