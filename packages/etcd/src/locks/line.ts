import type { Keys } from './keys.ts';
import { readValue } from './claim-value.ts';
import type { ClaimValue } from './claim-value.ts';
import type { KeyValue, Operation, RangeAnswer, TxnAnswer } from '../wire/messages.ts';

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

/** The claims of a key, in their order: holders, and then waiters. */
export interface KeyLine {
  /** That of the store when they were read. */
  readonly revision: bigint;
  readonly entries: readonly Entry[];
  /** The highest token, if a floor was above the revisions. `changed` is 0 where there is none. */
  readonly counter: { readonly value: bigint; readonly changed: bigint };
}

/** What reads the line of a key. `lineIn` reads the answers to it. */
export function readsOf(keys: Keys, key: string): readonly [Operation, Operation] {
  return [
    { requestRange: { ...keys.line(key), sortOrder: 1, sortTarget: 2 } },
    { requestRange: { key: keys.counter(key) } },
  ];
}

/** The line of a key, where the last operations of a transaction were those of `readsOf`. */
export function lineIn({ header, responses }: TxnAnswer, keys: Keys): KeyLine {
  const [line, counter] = responses.slice(-2).map(({ responseRange }) => responseRange as RangeAnswer);
  const [count] = counter?.kvs ?? [];
  return {
    revision: BigInt(header.revision),
    entries: (line?.kvs ?? []).map((kv) => entryOf(kv, keys)),
    counter: {
      value: BigInt(count?.value.toString() ?? 0),
      changed: BigInt(count?.modRevision ?? 0),
    },
  };
}

/** A claim, as etcd gives it. */
export function entryOf(kv: KeyValue, keys: Keys): Entry {
  return {
    ...readValue(kv.value),
    name: kv.key,
    owner: keys.readClaim(kv.key).owner,
    created: BigInt(kv.createRevision),
    changed: BigInt(kv.modRevision),
    lease: kv.lease,
  };
}

/** Whether it is a hold. */
export function isHeld({ ttl }: ClaimValue): boolean {
  return ttl !== undefined;
}

/** The fencing token of a hold. */
export function tokenOf({ token, changed }: Entry): bigint {
  return token === undefined ? changed : BigInt(token);
}
