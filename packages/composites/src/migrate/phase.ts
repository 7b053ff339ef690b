/** The store that a process may use alone. */
export type End = 'from' | 'to';

/** Which stores a claim takes: one of them, or both. */
export type Phase = End | 'both';

/**
 * What an operator tells a process: a phase, or an end with `!`. `to!` forces: it is `to`, also
 * where the store `from` does not answer or has locks of its own.
 */
export type PhaseWord = Phase | `${End}!`;

export const ends: readonly ['from', 'to'] = ['from', 'to'];

/** In the order that a fleet goes through them. */
export const phaseWords: readonly PhaseWord[] = ['from', 'from!', 'both', 'to', 'to!'];

export function isPhaseWord(value: unknown): value is PhaseWord {
  return phaseWords.some((word) => word === value);
}

/** The end that a process must not use while others use `end`. */
export function oppositeOf(end: End): End {
  return end === 'from' ? 'to' : 'from';
}

export function phaseOf(word: PhaseWord): Phase {
  return word.replace('!', '') as Phase;
}

/** The end that a word forces a process to leave: an operator says that it is gone. */
export function goneBy(word: PhaseWord): End | undefined {
  return word.endsWith('!') ? oppositeOf(phaseOf(word) as End) : undefined;
}
