/**
 * A floor of tokens that rises with the clock of its store. A constant one would hide that clock: a
 * store that lost its counters would give the same tokens again. It rises half as fast as the
 * clock, which so passes it one day. A line is given by what it would be at the epoch, in µs. Lines
 * never cross, so that also orders them.
 */
const perMs = 500n;

/** The line that is `token` when the store's clock shows `time`, in ms. */
export function lineThrough(token: bigint, time: number): bigint {
  return token - perMs * BigInt(Math.ceil(time));
}

/** What `line` is when the store's clock shows `time`. Calls of one ms have one floor. */
export function floorAt(line: bigint, time: number): bigint {
  const floor = line + perMs * BigInt(Math.ceil(time));
  return floor > 0n ? floor : 0n;
}

/** A point of a line. */
export interface TokenFloor {
  /** Below 2^53. */
  readonly token: bigint;
  /** By the store's clock, in ms since 1970. */
  readonly at: number;
}

/** As a register has a line, and option `tokenFloor`. */
export function lineText(line: bigint, time: number): string {
  return `${floorAt(line, time)}@${Math.ceil(time)}`;
}

/** The point of such a text. `undefined`: it is none. */
export function readTokenFloor(text: string): TokenFloor | undefined {
  const [, token, at] = /^(\d{1,16})@(\d{1,15})$/.exec(text) ?? [];
  return token === undefined ? undefined : { token: BigInt(token), at: Number(at) };
}

/** The line of such a text. */
export function readLine(text: string | undefined): bigint | undefined {
  const point = text === undefined ? undefined : readTokenFloor(text);
  return point && lineThrough(point.token, point.at);
}

/** The higher one of two. */
export function higher(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}
