import { randomInt } from 'node:crypto';
import { createRandom } from '@locks/core/testing';

/** What the random choices of one file come from. */
export interface Chance {
  /** For the report: with it the same choices are made again. */
  readonly note: string;
  /** In [0, 1). */
  number(): number;
  between(low: number, high: number): number;
  of<T>(choices: readonly T[]): T;
}

/** Starts from `LOCKS_FAULT_SEED`, or from anywhere. */
export function openChance(): Chance {
  const seed = Number(process.env['LOCKS_FAULT_SEED'] ?? randomInt(2 ** 31));
  const number = createRandom(seed);
  return {
    note: `LOCKS_FAULT_SEED=${seed}`,
    number,
    between: (low, high) => low + (high - low) * number(),
    of<T>(choices: readonly T[]): T {
      const chosen = choices[Math.floor(number() * choices.length)];
      if (chosen === undefined) throw new Error('there is nothing to choose from');
      return chosen;
    },
  };
}
