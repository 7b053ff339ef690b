import { createRandom as createNumbers } from '@locks/core/testing';

/** Random choices, the same ones for the same seed. */
export interface Random {
  /** From `low` up to `high`. */
  between(low: number, high: number): number;
  /** The same in whole numbers, without `high`. */
  integer(low: number, high: number): number;
  /** One of `items`. */
  pick<T>(items: readonly T[]): T;
  /** One of the names, by their weights. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** True with this probability. */
  chance(probability: number): boolean;
}

export function createRandom(seed: number): Random {
  const next = createNumbers(seed);
  const between = (low: number, high: number): number => low + next() * (high - low);
  return {
    between,
    integer: (low, high) => Math.floor(between(low, high)),
    pick<T>(items: readonly T[]): T {
      return items[Math.floor(next() * items.length)] as T;
    },
    weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1);
      return (found as [Name, number])[0];
    },
    chance: (probability) => next() < probability,
  };
}
