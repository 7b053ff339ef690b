import type { Claim, Renewal } from '@locks/core';
import { isLeaseGone } from '../connection/errors.ts';
import { txn } from '../wire/calls.ts';
import { isHeld, rewriteRequest, tokenOf } from './algorithm.ts';
import type { Held } from './claim-value.ts';
import { secondsFor } from './leases.ts';
import type { Lease, Leases } from './leases.ts';
import type { OwnClaim } from './own-claims.ts';
import type { Parts } from './parts.ts';
import { late } from './queue.ts';
import type { Entry, KeyQueue } from './queue.ts';

/** A hold whose ttl was restarted. */
export interface Restarted extends Required<Pick<Renewal, 'hold'>> {
  readonly token: bigint;
}

/**
 * A renewal waits for a silent connection for this part of the ttl, before it takes another one.
 * More loses leases with a short ttl. Less leaves connections that are slow.
 */
const silence = 1 / 6;
/** In ms: it waits so long at least. A hold that rests is renewed for what is left of that. */
const leastSilence = 100;

export interface RestartOptions {
  /** By the clock. */
  readonly until: number;
  /** The hold stays exclusive, or shared, as it is. Else it becomes what the claim says. */
  readonly renews: boolean;
  /** Its token from now on. */
  readonly token?: bigint | undefined;
}

/**
 * Restarts the ttl of the hold of `claim`. `undefined`: it does not hold, or has a higher token.
 *
 * The leader of a time before may still restart leases, when another leader counts already. So the
 * hold is read afterwards. A read asks a majority. If the raft term is still the one from before,
 * no other leader was there.
 */
export async function restart(
  parts: Parts,
  claim: Claim,
  { until, renews, token: told }: RestartOptions,
): Promise<Restarted | undefined> {
  const { members, leases, owners, clock } = parts;
  const left = (): number => Math.max(1, until - clock.now());
  const patience = Math.min(members.patience, Math.max(leastSilence, claim.ttl * silence));
  let id = owners.get(claim.owner)?.hold?.id;
  for (;;) {
    const kept = id === undefined ? undefined : await leases.keep(id, left(), patience);
    const { queue, term } = await parts.holdReads.read(claim, left(), patience);
    const [own] = queue.entries;
    if (own === undefined || !isHeld(own)) return undefined;
    const token = tokenOf(own);
    if (told !== undefined && told < token) return undefined;
    const wanted = renews ? { ...claim, mode: own.mode, permits: own.permits } : claim;
    if (!isSame(own, wanted) || (told ?? token) !== token) {
      const rewritten = await rewrite(parts, wanted, queue, own, { until, told });
      if (rewritten !== undefined) return rewritten;
    } else if (own.lease === id && kept !== undefined && term === kept.term) {
      adopt(parts, claim, own.lease, kept.lasts);
      return { token, hold: kept.lasts };
    }
    // Another call has put the hold under another lease, or a leader was elected.
    id = own.lease;
    if (clock.now() >= until) throw late(claim);
  }
}

/** What a hold is written as. */
type Wanted = Pick<Claim, 'key' | 'owner'> & Held;

/** Whether only the lease of the hold has to be restarted. */
function isSame(own: Entry, { ttl, mode, permits }: Wanted): boolean {
  return own.ttl === ttl && own.mode === mode && own.permits === permits;
}

/** Writes the hold again, under a lease of the claim's ttl. `undefined`: the caller looks again. */
async function rewrite(
  { members, keys, leases, owners, clock, base }: Parts,
  claim: Wanted,
  queue: KeyQueue,
  own: Entry,
  { until, told }: { readonly until: number; readonly told: bigint | undefined },
): Promise<Restarted | undefined> {
  const left = (): number => Math.max(1, until - clock.now());
  const { lease, term } = await leases.take(secondsFor(claim.ttl), left());
  const token = told ?? tokenOf(own);
  const from = base.in(queue);
  // No more than that, or the members of a quorum would raise each other without end.
  const to = base.above(from, token, queue.revision, 0n);
  const change = told === undefined ? undefined : { from, to };
  const request = rewriteRequest(keys, claim, lease.id, own, token, change);
  try {
    const { succeeded, header } = await members.call(txn, request, 'the rewrite of a hold', { within: left() });
    if (!succeeded) {
      leases.give(lease);
      return undefined;
    }
    if (change !== undefined) base.written(from, to, BigInt(header.revision));
    useHold(owners.keep(claim.owner, lease.lasts), lease, leases);
    return term === undefined || term === header.raftTerm ? { token, hold: lease.lasts } : undefined;
  } catch (error) {
    if (isLeaseGone(error)) return undefined;
    // The hold may be under it by now.
    lease.unsure = true;
    useHold(owners.keep(claim.owner, lease.lasts), lease, leases);
    throw error;
  }
}

/** The hold is under the lease `id`, as etcd says. */
function adopt({ owners, leases }: Parts, { owner, ttl }: Claim, id: string, lasts: number): void {
  const mine = owners.keep(owner, lasts);
  if (mine.hold?.id !== id) useHold(mine, { id, seconds: secondsFor(ttl), lasts, unsure: true }, leases);
}

/** The hold is under `lease`. Of another one it is not certain what still comes for it. */
export function useHold(mine: OwnClaim, lease: Lease, leases: Leases): void {
  if (mine.hold !== undefined && mine.hold.id !== lease.id) leases.end(mine.hold.id);
  mine.hold = lease;
}
