import type { Claim } from '@locks/core';
import { txn } from '../wire/calls.ts';
import type { TxnAnswer } from '../wire/messages.ts';
import type { LockParts } from './holds.ts';
import { isHeld, readEntry } from './line.ts';
import type { PlaceLeases } from './places.ts';
import { removal } from './requests.ts';

/** Removes what the claim has. `true`: that was a hold. */
export async function release(
  { members, keys, leases, owners, places }: LockParts & { readonly places: PlaceLeases },
  claim: Claim,
): Promise<boolean> {
  const { key, owner } = claim;
  const hold = owners.take(owner)?.hold;
  let removed: TxnAnswer;
  try {
    removed = await members.call(txn, removal(keys.claim(key, owner)), 'a release');
  } catch (error) {
    places.leave(key, owner, true);
    if (hold !== undefined) leases.end(hold.id);
    throw error;
  }
  places.leave(key, owner, false);
  const [kv] = removed.responses[0]?.responseDeleteRange?.prevKvs ?? [];
  const entry = kv === undefined ? undefined : readEntry(kv, keys);
  if (hold !== undefined) {
    if (hold.id === entry?.lease) leases.give(hold);
    else leases.end(hold.id);
  }
  return entry !== undefined && isHeld(entry);
}
