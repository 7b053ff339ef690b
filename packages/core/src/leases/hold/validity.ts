/**
 * The part of a validity that is certain. It lacks 1 %, for clocks that run at different rates, and
 * 2 ms, for their resolution. That is the margin of Redlock's description. Only core subtracts it.
 */
export function certain(validity: number): number {
  return validity - validity * 0.01 - 2;
}

const longestStep = 2 ** 30;

/**
 * `at` rounded down by at most 1/16 of the distance from `now`, to a multiple of a power of two. So
 * renewals that are due at about the same time share a bucket of the timer wheel and go out
 * together. An early renewal does no harm.
 */
export function grouped(at: number, now: number): number {
  const step = 1 << (31 - Math.clz32(Math.min(Math.max(1, (at - now) / 16), longestStep)));
  return Math.floor(at / step) * step;
}

/**
 * When the lease certainly ends. It counts from the send, and is never beyond `holdUntil`. Whole,
 * as a fraction takes 16 bytes more per lease.
 */
export function deadlineOf(sentAt: number, validity: number, holdUntil: number | undefined): number {
  return Math.floor(Math.min(sentAt + certain(validity), holdUntil ?? Infinity));
}
