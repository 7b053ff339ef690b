/**
 * The part of a validity that is certain: less 1 % for clocks that run at different rates, and 2 ms for their resolution.
 * The margin of Redlock's description; only core subtracts it.
 */
export function certain(validity: number): number {
  return validity - validity * 0.01 - 2;
}

/**
 * `at` rounded down so that leases of the same ttl share a bucket: to some 1/64 of the ttl, a power of two of ms. Early is
 * harmless for a renewal, and renewals that are due together go out together.
 */
export function grouped(at: number, ttl: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(ttl / 64)));
  return Math.floor(at / step) * step;
}

/** When the lease certainly ends: counted from the send, never beyond `holdUntil`. */
export function deadlineOf(sentAt: number, validity: number, holdUntil: number): number {
  return Math.min(sentAt + certain(validity), holdUntil);
}
