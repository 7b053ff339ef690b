import type { Claim } from '@locks/core';
import type { Compare, Operation, TxnRequest } from '../wire/messages.ts';
import { writeValue } from './claim-value.ts';
import type { ClaimValue, Held } from './claim-value.ts';
import type { Keys } from './keys.ts';
import { readsOf, readsOfAll } from './queue.ts';
import type { Entry, KeyQueue } from './queue.ts';
import { raises } from './token-base.ts';
import type { Base } from './token-base.ts';

// A claim is a key of etcd under a lease, which expires it. Its create revision is its position. A
// waiting claim has no ttl in its value; a hold has one. A release removes the key, and each
// waiting claim watches the one before it. A token is the base plus the revision of the write that
// granted.

/** What a queue means for a claim. */
export type Verdict =
  /** It holds the key already. */
  | { readonly kind: 'held' }
  /** It may take the key. `own`: its position. */
  | { readonly kind: 'free'; readonly own: Entry | undefined }
  /** `ahead`: the claims of which one must change before its turn can come. */
  | { readonly kind: 'busy'; readonly own: Entry | undefined; readonly ahead: readonly Entry[] }
  /** It shares the key, and requests it exclusively. */
  | { readonly kind: 'refused' };

/**
 * What `queue` means for `claim`. Claims before it only end, or start to share what they hold. So
 * "free" stays true until the claim is granted, while it keeps its position.
 */
export function judge({ entries }: Pick<KeyQueue, 'entries'>, claim: Claim): Verdict {
  const at = entries.findIndex(({ owner }) => owner === claim.owner);
  const own = entries[at];
  if (own !== undefined && isHeld(own)) {
    return { kind: own.mode === 'shared' && claim.mode === 'exclusive' ? 'refused' : 'held' };
  }
  const before = at === -1 ? entries : entries.slice(0, at);
  const last = before.at(-1);
  if (last !== undefined && !isHeld(last)) return { kind: 'busy', own, ahead: [last] };
  const { mode, permits = Infinity } = claim;
  const shares = mode === 'shared' && before.every((one) => one.mode === 'shared') && before.length < permits;
  return last === undefined || shares ? { kind: 'free', own } : { kind: 'busy', own, ahead: before };
}

/** Whether it is a hold. */
export function isHeld({ ttl }: ClaimValue): boolean {
  return ttl !== undefined;
}

/** The fencing token of a hold. */
export function tokenOf({ token, base = '0', changed }: Entry): bigint {
  return token === undefined ? BigInt(base) + changed : BigInt(token);
}

/** The base as read, and its new value. */
interface BaseChange {
  readonly from: Base;
  readonly to: bigint;
}

/**
 * Grants the key if the queue is unchanged, as far as `claim` depends on it. Otherwise reads the
 * queue. `own`: its position.
 */
export function grantRequest(
  keys: Keys,
  claim: Claim,
  lease: string,
  queue: KeyQueue,
  own: Entry | undefined,
  base: BaseChange,
): TxnRequest {
  const name = keys.claim(claim.key, claim.owner);
  const unchanged: Compare =
    own === undefined
      ? // A claim may have come since.
        { ...keys.queue(claim.key), target: 1, result: 2, createRevision: `${queue.revision + 1n}` }
      : isAt(name, own.changed);
  const value = writeValue(claim, { ttl: claim.ttl, base: `${base.to}` });
  return {
    compare: [unchanged, isAt(keys.base, base.from.changed)],
    success: [{ requestPut: { key: name, value, lease } }, ...raise(keys, base)],
    failure: readsOf(keys, claim, own?.created),
  };
}

/** Puts a claim at the end of the queue, unless it is in it. `reads`: also reads the queue. */
export function placeRequest(keys: Keys, claim: Claim, lease: string, reads: boolean): TxnRequest {
  const name = keys.claim(claim.key, claim.owner);
  const put = { requestPut: { key: name, value: writeValue(claim), lease } };
  return {
    compare: [isAt(name, 0n)],
    success: [put, ...(reads ? readsOf(keys, claim, undefined) : [])],
    // Others may have joined behind it.
    failure: reads ? readsOfAll(keys, claim.key) : [],
  };
}

/** Moves a waiting claim to another lease. Its position stays. */
export function moveRequest(keys: Keys, claim: Claim, lease: string): TxnRequest {
  const key = keys.claim(claim.key, claim.owner);
  const value = writeValue(claim);
  return {
    compare: [{ key, target: 3, result: 0, value }],
    success: [{ requestPut: { key, value, lease } }],
    failure: [],
  };
}

/**
 * Rewrites an unchanged hold, with `claim` and `token`, under `lease`. `base`: set if the token
 * changes.
 */
export function rewriteRequest(
  keys: Keys,
  claim: Pick<Claim, 'key' | 'owner'> & Held,
  lease: string,
  own: Entry,
  token: bigint,
  base: BaseChange | undefined,
): TxnRequest {
  const value = writeValue(claim, { ttl: claim.ttl, token: `${token}` });
  return {
    compare: [isAt(own.name, own.changed), ...(base === undefined ? [] : [isAt(keys.base, base.from.changed)])],
    success: [{ requestPut: { key: own.name, value, lease } }, ...(base === undefined ? [] : raise(keys, base))],
    failure: [],
  };
}

/** Removes a claim, waiting or held. This notifies those that watch it. */
export function removal(name: Buffer): TxnRequest {
  return { compare: [], success: [{ requestDeleteRange: { key: name, prevKv: true } }], failure: [] };
}

/** Whether the last write of a key was at this revision. 0: the key does not exist. */
export function isAt(key: Buffer, revision: bigint): Compare {
  return { key, target: 2, result: 0, modRevision: `${revision}` };
}

function raise(keys: Keys, { from, to }: BaseChange): readonly Operation[] {
  return raises(from, to) ? [{ requestPut: { key: keys.base, value: Buffer.from(`${to}`) } }] : [];
}
