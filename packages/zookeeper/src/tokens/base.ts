import type { Mode } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import type { Stat } from '../wire/records.ts';

/**
 * The base of all keys under one root, kept in one node. A token is the base plus the transaction
 * that created the contender's node. So the tokens of one key follow the order of its queue.
 *
 * The base begins at the server's clock when its node was created. So tokens exceed those of other
 * backends, and of a wiped ensemble. It only grows, by compare-and-set.
 */
export interface Base {
  readonly value: bigint;
  /** Its value before it was last raised. */
  readonly previous: bigint;
  /** The transaction that raised it last. */
  readonly mzxid: bigint;
  /** For compare-and-set. */
  readonly version: number;
}

/** The highest base that its node can hold. */
const highestBase = 10n ** 18n - 1n;
/** The highest possible floor of a token. */
export const highestFloor: bigint = 9n * 10n ** 17n;

/** The claim that gets a token. */
export interface TokenRequest {
  /** The transaction that created its node, or otherwise determined its turn. */
  readonly order: bigint;
  readonly mode: Mode;
  /** The token must exceed it. */
  readonly floor?: bigint | undefined;
}

/** The result for a contender that is next to hold. */
export type Minted =
  | { readonly state: 'minted'; readonly token: bigint }
  /** The base was raised after the queue was read: read the queue again. */
  | { readonly state: 'older' }
  /** The base must be raised to this value first. Then read it and the queue again. */
  | { readonly state: 'raise'; readonly to: bigint };

/** How much more is added when the base is raised. This affects cost, not safety. */
export interface Headroom {
  /**
   * In µs. While the tokens of other backends follow the clock, the base is raised once in this
   * time.
   * @default 1_000_000n (a second)
   */
  readonly clock?: bigint;
  /**
   * How many transactions of other clients may come while the base is raised. With more, it is
   * raised again.
   * @default 1_024n
   */
  readonly transactions?: bigint;
}

/**
 * The token of the contender that is next to hold, from a list that includes all transactions up to
 * `listedAt`. `base` must be the base of that time: read before the list, and unchanged until the
 * list arrived, as its watch shows.
 *
 * Order: of two contenders that exclude each other, the later one in the queue has the higher
 * `order`. It lists after the earlier one has gone, so its base is not older.
 *
 * Uniqueness: shared contenders are granted in any order. One may have come before the base was
 * raised, and be granted afterwards. A later one may have got the same token before the raise. So
 * the first one raises the base, too, unless the raise was longer than the queue was old.
 */
export function mint(request: TokenRequest, base: Base, listedAt: bigint, headroom: Headroom = {}): Minted {
  // Its node may have been removed by force. Then the next holder may not have seen this base.
  if (base.mzxid > listedAt) return { state: 'older' };
  if (request.order <= 0n)
    throw implausible('the number of the transaction that made the node of a claim', request.order);
  const { clock = 1_000_000n, transactions = 1_024n } = headroom;
  const token = base.value + request.order;
  const isLow = request.floor !== undefined && token <= request.floor;
  // With any earlier base, tokens up to this one may have been used.
  const isDoubtful = request.mode === 'shared' && base.mzxid > request.order && token <= base.previous + base.mzxid;
  if (!isLow && !isDoubtful) return { state: 'minted', token };
  const beyondFloor = isLow ? request.floor + 1n - request.order + clock : 0n;
  // The raise comes after the claim came, for whatever reason.
  const beyondGiven = request.mode === 'shared' ? base.value + (listedAt - request.order) + transactions : 0n;
  return { state: 'raise', to: beyondFloor > beyondGiven ? beyondFloor : beyondGiven };
}

/**
 * The value to raise the base to, if the holder with this `order` takes `token`, so that the token
 * of every later holder is higher. `undefined`: the base is high enough.
 */
export function raiseFor(token: bigint, order: bigint, base: Base, headroom: Headroom = {}): bigint | undefined {
  if (base.value + order >= token) return undefined;
  return token - order + (headroom.clock ?? 1_000_000n);
}

/**
 * Reads the base node. Throws `LOCK_MISCONFIGURED` for data that this package did not write. Throws
 * `LOCK_UNAVAILABLE` for an impossible time.
 */
export function readBase(data: Buffer, stat: Pick<Stat, 'ctime' | 'mzxid' | 'version'>, path: string): Base {
  const begin = stat.ctime * 1_000n;
  if (begin < 0n || begin > highestBase) throw implausible(`the time at which ${path} was made`, stat.ctime);
  const { mzxid, version } = stat;
  if (data.length === 0) return { value: begin, previous: begin, mzxid, version };
  const numbers = /^(\d{1,18}) (\d{1,18})$/.exec(data.toString('latin1'));
  if (numbers === null) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `The node ${path} has data that this version of @locks/zookeeper cannot read: use the newer version that wrote them, or another root. If no newer version wrote them, remove the node: tokens continue from the servers' clock.`,
    );
  }
  const [value, previous] = [BigInt(numbers[1] ?? 0), BigInt(numbers[2] ?? 0)];
  return { value: value > begin ? value : begin, previous: previous > begin ? previous : begin, mzxid, version };
}

/**
 * The data of the base node when raised to `to`, to be written with the version of `base`. Throws
 * `LOCK_UNAVAILABLE` for a value that could not be read again: a garbled answer must not be stored.
 */
export function raisedData(base: Base, to: bigint): Buffer {
  if (to < base.value || to > highestBase) throw implausible('what tokens must be raised by', to);
  return Buffer.from(`${to} ${base.value}`);
}

function implausible(what: string, value: bigint): LockError {
  return new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${what} cannot be ${value}: an answer was garbled.`);
}
