import type { Mode } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import type { Stat } from '../wire/records.ts';

/**
 * The node that raises the tokens of all keys under one root. A token is its value and the transaction that made the contender's node:
 * so the tokens of one key follow the order of its line. The value begins with the server's clock when the node was made, so that tokens
 * exceed those of an ensemble that was wiped, and of other backends; it only grows, by compare-and-set.
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

/** As high as the base node can say. */
const highestBase = 10n ** 18n - 1n;
/** The highest token that a later one can be made to exceed. */
export const highestFloor: bigint = 9n * 10n ** 17n;

/** Whose token it is. */
export interface Place {
  /** The transaction that made its node, or otherwise gave it its turn before others. */
  readonly order: bigint;
  readonly mode: Mode;
  /** The token must exceed it. */
  readonly floor?: bigint | undefined;
}

/** What becomes of a contender that has seen that it is its turn. */
export type Minted =
  | { readonly state: 'minted'; readonly token: bigint }
  /** The base was raised after the list: list once more. */
  | { readonly state: 'older' }
  /** The base must be raised to this value first, then read and the line listed again. */
  | { readonly state: 'raise'; readonly to: bigint };

/** How much is added when the base is raised anyway, each a choice of cost and not of safety. */
export interface Headroom {
  /** As long as other backends' tokens follow the clock, in µs, the base is raised once in so many of them. @default 1_000_000n (a second) */
  readonly clock?: bigint;
  /** How many transactions of others there may be while the base is raised; with more it is raised again. @default 1_024n */
  readonly transactions?: bigint;
}

/**
 * The token of a contender whose turn it is by a list that shows all transactions up to `listedAt`. `base` must be what it was then:
 * read before the list, and its watch has not fired before the list came.
 *
 * Order: of two contenders that exclude each other the later one in line has the higher `order`, and lists after the earlier one has
 * gone, so its base is not older. Uniqueness: sharers are granted in any order, so one that was there before the base was raised could
 * get what a later comer got before that; unless the raise was longer than the line was old, it raises the base itself.
 */
export function mint(place: Place, base: Base, listedAt: bigint, headroom: Headroom = {}): Minted {
  // Its node may have been removed by force in between: then the next holder might not have seen this base yet.
  if (base.mzxid > listedAt) return { state: 'older' };
  if (place.order <= 0n) throw implausible('the number of the transaction that made the node of a claim', place.order);
  const { clock = 1_000_000n, transactions = 1_024n } = headroom;
  const token = base.value + place.order;
  const isLow = place.floor !== undefined && token <= place.floor;
  // With any earlier base tokens up to here were given.
  const isDoubtful = place.mode === 'shared' && base.mzxid > place.order && token <= base.previous + base.mzxid;
  if (!isLow && !isDoubtful) return { state: 'minted', token };
  const beyondFloor = isLow ? place.floor + 1n - place.order + clock : 0n;
  // The raise comes after the place, whatever made it necessary.
  const beyondGiven = place.mode === 'shared' ? base.value + (listedAt - place.order) + transactions : 0n;
  return { state: 'raise', to: beyondFloor > beyondGiven ? beyondFloor : beyondGiven };
}

/**
 * What the base must be raised to so that every later holder's token exceeds `token`, which the holder with this `order` takes;
 * `undefined`: it is high enough.
 */
export function raiseFor(token: bigint, order: bigint, base: Base, headroom: Headroom = {}): bigint | undefined {
  if (base.value + order >= token) return undefined;
  return token - order + (headroom.clock ?? 1_000_000n);
}

/** What the base node says. Throws `LOCK_MISCONFIGURED` for what this package did not write, `LOCK_UNAVAILABLE` for a time that is none. */
export function readBase(data: Buffer, stat: Pick<Stat, 'ctime' | 'mzxid' | 'version'>, path: string): Base {
  const begin = stat.ctime * 1_000n;
  if (begin < 0n || begin > highestBase) throw implausible(`the time at which ${path} was made`, stat.ctime);
  const { mzxid, version } = stat;
  if (data.length === 0) return { value: begin, previous: begin, mzxid, version };
  const numbers = /^(\d{1,18}) (\d{1,18})$/.exec(data.toString('latin1'));
  if (numbers === null) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `The node ${path} has data that this version of @locks/zookeeper cannot read: use the newer version that wrote them, or another root. If no newer version wrote them, remove the node: tokens go on from the servers' clock.`,
    );
  }
  const [value, previous] = [BigInt(numbers[1] ?? 0), BigInt(numbers[2] ?? 0)];
  return { value: value > begin ? value : begin, previous: previous > begin ? previous : begin, mzxid, version };
}

/**
 * The data of the base node once it is raised to `to`: to be written with the version of `base`. Throws `LOCK_UNAVAILABLE` where nobody
 * could read them: an answer of the server that was garbled on its way must not stay.
 */
export function raisedData(base: Base, to: bigint): Buffer {
  if (to < base.value || to > highestBase) throw implausible('what tokens must be raised by', to);
  return Buffer.from(`${to} ${base.value}`);
}

function implausible(what: string, value: bigint): LockError {
  return new LockError('LOCK_UNAVAILABLE', `ZooKeeper: ${what} cannot be ${value}: an answer was garbled.`);
}
