/** The store that a process may use alone. */
export type End = 'from' | 'to';

/** The stores that a claim takes: one of them, or both. */
export type Phase = End | 'both';

/**
 * An operator's instruction to a process: a phase, or an end with `!`. `to!` forces `to`, even if
 * the store `from` does not answer or has locks of its own.
 */
export type PhaseWord = Phase | `${End}!`;

export const ends: readonly ['from', 'to'] = ['from', 'to'];

/** In the order of a migration. */
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

/** The end that an instruction forces a process to leave: an operator declares it gone. */
export function goneBy(word: PhaseWord): End | undefined {
  return word.endsWith('!') ? oppositeOf(phaseOf(word) as End) : undefined;
}
