import { shuffle } from './random.ts';

/** How long and how often the subjects take turns. */
export interface Rotation {
  readonly rounds: number;
  /** Ms per turn. */
  readonly slice: number;
  readonly random: () => number;
}

/**
 * Lets the subjects take turns in one process, in another random order each round, so that none is always the one that runs
 * warm or cold. The first round of each is thrown away. Results are by subject, then by round.
 */
export async function rotate<S, T>(
  subjects: readonly S[],
  { rounds, slice, random }: Rotation,
  measure: (subject: S, slice: number) => Promise<T>,
): Promise<Map<S, T[]>> {
  const results = new Map<S, T[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const subject of shuffle(subjects, random)) {
      globalThis.gc?.();
      const result = await measure(subject, slice);
      if (round > 0) results.get(subject)?.push(result);
    }
  }
  return results;
}
