import type { Claim } from '@locks/core';
import { LockError, misconfigured } from '@locks/core/adapter';
import type { Members } from '../connection/members.ts';
import { source } from '../options/options.ts';
import { txn } from '../wire/calls.ts';
import type { Keys } from './keys.ts';
import { readValue } from './claim-value.ts';
import type { ClaimValue } from './claim-value.ts';
import { readBase } from './token-base.ts';
import type { Base } from './token-base.ts';
import type { KeyValue, Operation, RangeRequest, TxnAnswer } from '../wire/messages.ts';

/** A claim in etcd. */
export interface Entry extends ClaimValue {
  /** Its key in etcd. */
  readonly name: Buffer;
  readonly owner: string;
  /** The claims of a key are in the order of this revision. */
  readonly created: bigint;
  /** The revision of its last write. */
  readonly changed: bigint;
  readonly lease: string;
}

/** The result of reading a key. */
export interface KeyQueue {
  /** The revision of the store at the read. */
  readonly revision: bigint;
  /** Claims in order: holders, then waiters. */
  readonly entries: readonly Entry[];
  /** The base of tokens. */
  readonly base: Base;
}

/** Reads the claims with these names, and the base of tokens. */
export function readsOfClaims(keys: Keys, names: readonly Buffer[]): readonly Operation[] {
  return [keys.base, ...names].map((key) => ({ requestRange: { key } }));
}

/** Reads all claims on a key, in their order, and the base of tokens. */
export function readsOfAll(keys: Keys, key: string): readonly Operation[] {
  return [...readsOfClaims(keys, []), { requestRange: { ...keys.queue(key), sortOrder: 1, sortTarget: 2 } }];
}

/**
 * Reads what decides about `claim`. A shared one needs all claims. An exclusive one needs itself,
 * the first, and the one before it, as the queue may have a thousand. `created`: the revision of
 * its position.
 */
export function readsOf(keys: Keys, claim: Claim, created: bigint | undefined): readonly Operation[] {
  if (claim.mode === 'shared') return readsOfAll(keys, claim.key);
  const byRevision = { ...keys.queue(claim.key), sortTarget: 2 } as const;
  const latest: RangeRequest = { ...byRevision, sortOrder: 2, limit: 2 };
  return [
    ...readsOfClaims(keys, [keys.claim(claim.key, claim.owner)]),
    { requestRange: { ...byRevision, sortOrder: 1, limit: 1 } },
    { requestRange: created === undefined ? latest : { ...latest, maxCreateRevision: `${created}` } },
  ];
}

/** Reads a key with `reads`, in one transaction. */
export async function read(
  members: Members,
  keys: Keys,
  reads: readonly Operation[],
  within?: number,
): Promise<KeyQueue> {
  const request = { compare: [], success: reads, failure: [] };
  return queueIn(await members.call(txn, request, 'a read of the queue', { within, repeats: true }), keys);
}

/**
 * The claims of a key in the answer of a transaction.
 * @throws `LOCK_MISCONFIGURED` if another program has written one: it may be a newer version, whose
 * claim counts.
 */
export function queueIn({ header, responses }: TxnAnswer, keys: Keys): KeyQueue {
  const entries = new Map<string, KeyValue>();
  let base: Base = { value: 0n, changed: 0n };
  for (const kv of responses.flatMap(({ responseRange }) => responseRange?.kvs ?? [])) {
    if (kv.key.equals(keys.base)) base = readBase(kv);
    else entries.set(kv.createRevision, kv);
  }
  return {
    revision: BigInt(header.revision),
    entries: [...entries.values()]
      .map((kv) => readEntry(kv, keys) ?? refuse(kv))
      .toSorted((a, b) => Number(a.created - b.created)),
    base,
  };
}

/** A claim as etcd returns it. `undefined`: another program has written it. */
export function readEntry(kv: KeyValue, keys: Keys): Entry | undefined {
  const value = readValue(kv.value);
  const owner = keys.readClaim(kv.key)?.owner;
  if (value === undefined || owner === undefined) return undefined;
  const { key: name, createRevision, modRevision, lease } = kv;
  return { ...value, name, owner, created: BigInt(createRevision), changed: BigInt(modRevision), lease };
}

/** The error of a call that others outpaced for its whole time. */
export function late({ key }: Pick<Claim, 'key'>): LockError {
  return new LockError('LOCK_UNAVAILABLE', `etcd: the claims on ${JSON.stringify(key)} kept changing.`, { key });
}

function refuse({ key }: KeyValue): never {
  const name = JSON.stringify(key.toString());
  throw misconfigured(
    source.where,
    `the key ${name} in etcd has a value that this version cannot read; use the version that wrote it, remove the key, or set another prefix`,
  );
}
