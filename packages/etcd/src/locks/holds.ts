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
 * The part of the ttl after which a renewal leaves a silent connection. More loses leases with a
 * short ttl. Less leaves slow connections.
 */
const silence = 1 / 6;
/** In ms: it waits so long at least. A hold that rests is renewed for what is left of that. */
const leastSilence = 100;

export interface RestartOptions {
  /** By the clock. */
  readonly until: number;
  /** The hold keeps its mode. Otherwise it gets that of the claim. */
  readonly renews: boolean;
  /** Its new token. */
  readonly token?: bigint | undefined;
}

/**
 * Restarts the ttl of the hold of `claim`. `undefined`: it does not hold, or has a higher token.
 *
 * A deposed leader may still restart leases while a new leader already expires them. So the hold is
 * read afterwards, which needs a majority. If the raft term is unchanged, there was no other
 * leader.
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
    // Another call has moved the hold to another lease, or a leader was elected.
    id = own.lease;
    if (clock.now() >= until) throw late(claim);
  }
}

/** The new value of a hold. */
type Wanted = Pick<Claim, 'key' | 'owner'> & Held;

/** Whether only the lease of the hold must be restarted. */
function isSame(own: Entry, { ttl, mode, permits }: Wanted): boolean {
  return own.ttl === ttl && own.mode === mode && own.permits === permits;
}

/** Rewrites the hold, under a lease of the claim's ttl. `undefined`: the caller retries. */
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
  // Not more, or the members of a quorum would raise each other endlessly.
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

/** Notes that the hold is under the lease `id`, as read from etcd. */
function adopt({ owners, leases }: Parts, { owner, ttl }: Claim, id: string, lasts: number): void {
  const mine = owners.keep(owner, lasts);
  if (mine.hold?.id !== id) useHold(mine, { id, seconds: secondsFor(ttl), lasts, unsure: true }, leases);
}

/** Notes that the hold is under `lease`. Requests for an earlier one may still arrive. */
export function useHold(mine: OwnClaim, lease: Lease, leases: Leases): void {
  if (mine.hold !== undefined && mine.hold.id !== lease.id) leases.end(mine.hold.id);
  mine.hold = lease;
}
