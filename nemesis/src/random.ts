import { createRandom as createNumbers } from '@locks/core/testing';

/** Random choices, the same ones for the same seed. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** From `low` up to `high`. */
  between(low: number, high: number): number;
  /** One of `items`. */
  pick<T>(items: readonly T[]): T;
  /** True so many times out of one. */
  chance(probability: number): boolean;
}

/** The choices of `seed`. */
export function createRandom(seed: number): Random {
  const next = createNumbers(seed);
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick<T>(items: readonly T[]): T {
      return items[Math.floor(next() * items.length)] as T;
    },
    chance: (probability) => next() < probability,
  };
}
