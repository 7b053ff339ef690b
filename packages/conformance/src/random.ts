/** Reproducible randomness: the same seed and label give the same numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer from 0 to `below - 1`. */
  integer(below: number): number;
}

/**
 * A generator for `label` (a requirement's id), so that running fewer requirements does not change
 * the numbers of the others.
 */
export function createRandom(seed: number, label: string): Random {
  let state = seed >>> 0;
  for (const character of label) state = (Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) + 1) >>> 0;
  // Mulberry32: small, and good enough to choose moments.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { next, integer: (below) => Math.floor(next() * below) };
}
