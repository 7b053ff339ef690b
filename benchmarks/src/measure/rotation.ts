import { shuffle } from './random.ts';

/** How long and how often the subjects take turns. */
export interface Rotation {
  readonly rounds: number;
  /** Ms per turn. */
  readonly slice: number;
  readonly random: () => number;
}

/** For so many slices the compiler of the engine gets to know a subject before it is measured. */
export const warmUp = 6;

/**
 * Lets the subjects take turns in one process, in another random order each round, so that none is
 * always the one that runs warm or cold. A first, longer round warms up and is thrown away. Results
 * are by subject, then by round.
 */
export async function rotate<S, T>(
  subjects: readonly S[],
  { rounds, slice, random }: Rotation,
  measure: (subject: S, slice: number) => Promise<T>,
): Promise<Map<S, T[]>> {
  const results = new Map<S, T[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const subject of shuffle(subjects, random)) {
      const result = await measure(subject, round === 0 ? slice * warmUp : slice);
      if (round > 0) results.get(subject)?.push(result);
    }
  }
  return results;
}
