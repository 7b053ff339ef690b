import type { Stat } from '../wire/records.ts';

/** What the base node says at one moment. */
export interface Base {
  /** Added to the transaction of a claim's node, it makes a token. */
  readonly value: bigint;
  /** The transaction that raised it last. */
  readonly mzxid: bigint;
  /** What a raise must find unchanged. */
  readonly version: number;
}

/**
 * The base begins at the server's clock in µs when its node was made: tokens are comparable with those of other stores, and higher than
 * before if ZooKeeper has lost everything. Raised, it is the number in the node's data.
 */
export function baseOf(data: string, { ctime, mzxid, version }: Stat): Base {
  const begun = ctime * 1_000n;
  const raised = /^\d{1,19}$/.test(data) ? BigInt(data) : 0n;
  return { value: raised > begun ? raised : begun, mzxid, version };
}

/** The token of the claim whose node the transaction `zxid` wrote. */
export function tokenOf(base: Base, zxid: bigint): bigint {
  return base.value + zxid;
}

/**
 * Whether the base was raised after that transaction. Such a node must be written once more before its claim is granted: a token is the base
 * as it was at that transaction, plus its number. So tokens have the order of their transactions, and none is given twice.
 */
export function isOlderThan(zxid: bigint, base: Base): boolean {
  return zxid < base.mzxid;
}

/** What the base must be at least, so that all who come after the transaction `zxid` get more than `token`. */
export function baseFor(zxid: bigint, token: bigint): bigint {
  return token - zxid;
}
