import { createRandom as createNumbers } from '@locks/core/testing';

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
  let own = seed;
  for (const character of label) own = Math.imul(own ^ (character.codePointAt(0) ?? 0), 0x01000193) + 1;
  const next = createNumbers(own);
  return { next, integer: (below) => Math.floor(next() * below) };
}
