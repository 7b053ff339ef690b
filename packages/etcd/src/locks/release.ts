import type { Claim } from '@locks/core';
import { txn } from '../wire/calls.ts';
import type { LockParts } from './holds.ts';
import { entryOf, isHeld } from './line.ts';
import { removal } from './requests.ts';

/** Removes what the claim has. `true`: that was a hold. */
export async function release({ members, keys, leases, owners }: LockParts, claim: Claim): Promise<boolean> {
  const own = owners.get(claim.owner);
  const { responses } = await members.call(txn, removal(keys.claim(claim.key, claim.owner)), 'a release');
  owners.take(claim.owner);
  const [kv] = responses[0]?.responseDeleteRange?.prevKvs ?? [];
  const entry = kv === undefined ? undefined : entryOf(kv, keys);
  for (const lease of [own?.place, own?.hold]) {
    if (lease === undefined) continue;
    if (lease.id === entry?.lease) leases.give(lease);
    else leases.end(lease.id);
  }
  return entry !== undefined && isHeld(entry);
}
