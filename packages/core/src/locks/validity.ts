/**
 * The part of a validity that is certain: less 1 % for clocks that run at different rates, and 2 ms for their resolution.
 * The margin of Redlock's description; only core subtracts it.
 */
function certain(validity: number): number {
  return validity - validity * 0.01 - 2;
}

const longestStep = 2 ** 30;

/**
 * `at` rounded down, so that what is due at about the same time shares a bucket of the timer wheel: by at most 1/16 of the
 * distance from `now`, to a power of two of ms. Early is harmless for a renewal, and those due together go out together.
 */
export function grouped(at: number, now: number): number {
  const step = 1 << (31 - Math.clz32(Math.min(Math.max(1, (at - now) / 16), longestStep)));
  return Math.floor(at / step) * step;
}

/** When the lease certainly ends: counted from the send, never beyond `holdUntil`. */
export function deadlineOf(sentAt: number, validity: number, holdUntil: number | undefined): number {
  return Math.min(sentAt + certain(validity), holdUntil ?? Infinity);
}
