import { shuffle } from './random.ts';

/** How long and how often the subjects alternate. */
export interface Rotation {
  readonly rounds: number;
  /** Ms per turn. */
  readonly slice: number;
  readonly random: () => number;
}

/**
 * The number of slices in which the compiler of the engine optimizes a subject, before it is
 * measured.
 */
export const warmUp = 6;

/**
 * Lets the subjects alternate in one process, in another random order each round, so that none
 * always runs warm or cold. A first, longer round warms up and is dropped. Results are by subject,
 * then by round.
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
