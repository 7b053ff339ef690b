/** One call for the lock and its result; times are of the clock that all processes share. */
export interface Claim {
  readonly worker: number;
  /** When it was called. */
  readonly calledAt: number;
  /** When it certainly had its position in the queue; `Infinity` if unknown. */
  readonly placedAt: number;
  /** `Infinity` while it waits. */
  readonly grantedAt: number;
  /** When its release was sent; `Infinity` before. */
  readonly releasedAt: number;
}

const width = 5;

/** Claims as numbers, for messages between processes. */
export function packClaims(claims: readonly Claim[]): Float64Array {
  const packed = new Float64Array(claims.length * width);
  for (const [index, { worker, calledAt, placedAt, grantedAt, releasedAt }] of claims.entries()) {
    packed.set([worker, calledAt, placedAt, grantedAt, releasedAt], index * width);
  }
  return packed;
}

export function unpackClaims(packed: Float64Array): Claim[] {
  const claims: Claim[] = [];
  for (let index = 0; index < packed.length; index += width) {
    const [worker = 0, calledAt = 0, placedAt = 0, grantedAt = 0, releasedAt = 0] = packed.subarray(
      index,
      index + width,
    );
    claims.push({ worker, calledAt, placedAt, grantedAt, releasedAt });
  }
  return claims;
}
