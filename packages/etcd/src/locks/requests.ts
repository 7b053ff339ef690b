import type { Claim } from '@locks/core';
import type { Compare, Operation, TxnRequest } from '../wire/messages.ts';
import { heldValue, waitingValue } from './claim-value.ts';
import type { Held } from './claim-value.ts';
import type { Keys } from './keys.ts';
import { readsOf, readsOfAll } from './queue.ts';
import type { Entry, KeyQueue } from './queue.ts';
import { raises } from './token-base.ts';
import type { Base } from './token-base.ts';

/** A queue of which nothing is known but the base: the key is taken to be free. */
export function unknownQueue(base: Base): KeyQueue {
  return { revision: 0n, entries: [], base };
}

/** The base as it was read, and what a write makes of it. */
interface BaseChange {
  readonly from: Base;
  readonly to: bigint;
}

/**
 * Grants the key where `queue` is still what it was, as far as `claim` depends on it. `own`: its
 * place. Else reads the queue.
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
  const value = heldValue(claim, { base: `${base.to}` });
  return {
    compare: [unchanged, isAt(keys.base, base.from.changed)],
    success: [{ requestPut: { key: name, value, lease } }, ...raise(keys, base)],
    failure: readsOf(keys, claim, own?.created),
  };
}

/** Puts a claim at the end of the queue, unless it is in it. `reads`: and reads the queue. */
export function placeRequest(keys: Keys, claim: Claim, lease: string, reads: boolean): TxnRequest {
  const name = keys.claim(claim.key, claim.owner);
  return {
    compare: [isAt(name, 0n)],
    success: [
      { requestPut: { key: name, value: waitingValue(claim), lease } },
      ...(reads ? readsOf(keys, claim, undefined) : []),
    ],
    // Others may have come behind it.
    failure: reads ? readsOfAll(keys, claim.key) : [],
  };
}

/** Puts a claim that waits under another lease. Its place stays. */
export function moveRequest(keys: Keys, claim: Claim, lease: string): TxnRequest {
  const name = keys.claim(claim.key, claim.owner);
  const value = waitingValue(claim);
  return {
    compare: [{ key: name, target: 3, result: 0, value }],
    success: [{ requestPut: { key: name, value, lease } }],
    failure: [],
  };
}

/**
 * Writes a hold again, with `claim`, `token` and under `lease`, if it is still what it was. `base`:
 * where the token is another one.
 */
export function rewriteRequest(
  keys: Keys,
  claim: Pick<Claim, 'key' | 'owner'> & Held,
  lease: string,
  own: Entry,
  token: bigint,
  base: BaseChange | undefined,
): TxnRequest {
  const value = heldValue(claim, { token: `${token}` });
  return {
    compare: [isAt(own.name, own.changed), ...(base === undefined ? [] : [isAt(keys.base, base.from.changed)])],
    success: [{ requestPut: { key: own.name, value, lease } }, ...(base === undefined ? [] : raise(keys, base))],
    failure: [],
  };
}

/** Removes a claim, whatever it is. */
export function removal(name: Buffer): TxnRequest {
  return { compare: [], success: [{ requestDeleteRange: { key: name, prevKv: true } }], failure: [] };
}

/** Whether the last write of a key was at this revision. 0: the key is not there. */
export function isAt(key: Buffer, revision: bigint): Compare {
  return { key, target: 2, result: 0, modRevision: `${revision}` };
}

function raise(keys: Keys, { from, to }: BaseChange): readonly Operation[] {
  if (!raises(from, to)) return [];
  return [{ requestPut: { key: keys.base, value: Buffer.from(`${to}`) } }];
}
