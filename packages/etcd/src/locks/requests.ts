import type { Claim } from '@locks/core';
import { tokensEnded } from '@locks/core/adapter';
import type { Compare, Operation, TxnRequest } from '../wire/messages.ts';
import { heldValue, waitingValue } from './claim-value.ts';
import type { Held } from './claim-value.ts';
import type { Keys } from './keys.ts';
import { readsOf } from './line.ts';
import type { Entry, KeyLine } from './line.ts';

/** A line of which nothing is known: the key is taken to be free. */
export const unknownLine: KeyLine = { revision: 0n, entries: [], counter: { value: 0n, changed: 0n } };

const end = 2n ** 53n;

/**
 * The token that has to be written, where the revision of the write would be too low. Once a key
 * has a counter, that counts.
 * @throws `LOCK_INVALID` at 2^53.
 */
export function counted({ revision, counter }: KeyLine, claim: Claim): bigint | undefined {
  const { floor = 0n } = claim;
  if (counter.changed === 0n && floor <= revision) return undefined;
  const latest = latestOf({ revision, counter });
  const token = (latest > floor ? latest : floor) + 1n;
  if (token >= end) throw tokensEnded(claim);
  return token;
}

/**
 * Grants the key where `line` is still what it was, as far as `claim` depends on it. `own`: its
 * place. Else reads the line.
 */
export function grantRequest(
  keys: Keys,
  claim: Claim,
  lease: string,
  line: KeyLine,
  own: Entry | undefined,
  token: bigint | undefined,
): TxnRequest {
  const name = keys.claim(claim.key, claim.owner);
  const unchanged: Compare =
    own === undefined
      ? // A claim may have come since.
        { ...keys.line(claim.key), target: 1, result: 2, createRevision: `${line.revision + 1n}` }
      : isAt(name, own.changed);
  return {
    compare: [unchanged, isAt(keys.counter(claim.key), line.counter.changed)],
    success: [{ requestPut: { key: name, value: heldValue(claim, token), lease } }, ...counterOf(keys, claim, token)],
    failure: readsOf(keys, claim, own?.created),
  };
}

/** Puts a claim at the end of the line, unless it is in it. Reads the line. */
export function placeRequest(keys: Keys, claim: Claim, lease: string): TxnRequest {
  const name = keys.claim(claim.key, claim.owner);
  return {
    compare: [isAt(name, 0n)],
    success: [{ requestPut: { key: name, value: waitingValue(claim), lease } }, ...readsOf(keys, claim, undefined)],
    failure: readsOf(keys, claim, undefined),
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
 * Writes a hold again, with `claim` and under `lease`, if it is still what it was. `raised`: its
 * token becomes this one, and so does the counter.
 */
export function rewriteRequest(
  keys: Keys,
  claim: Pick<Claim, 'key' | 'owner'> & Held,
  lease: string,
  line: KeyLine,
  own: Entry,
  token: bigint,
  raised: boolean,
): TxnRequest {
  return {
    compare: [isAt(own.name, own.changed), isAt(keys.counter(claim.key), line.counter.changed)],
    success: [
      { requestPut: { key: own.name, value: heldValue(claim, token), lease } },
      ...(raised && token > latestOf(line) ? counterOf(keys, claim, token) : []),
    ],
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

/** No token of the key is above it. */
function latestOf({ revision, counter }: Pick<KeyLine, 'revision' | 'counter'>): bigint {
  return counter.changed === 0n ? revision : counter.value;
}

function counterOf(keys: Keys, { key }: Pick<Claim, 'key'>, token: bigint | undefined): readonly Operation[] {
  return token === undefined ? [] : [{ requestPut: { key: keys.counter(key), value: Buffer.from(`${token}`) } }];
}
