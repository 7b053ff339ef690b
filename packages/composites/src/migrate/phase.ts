/** The store that a process may use alone. */
export type End = 'from' | 'to';

/** Which stores a claim takes: one of them, or both. */
export type Phase = End | 'both';

export const ends: readonly ['from', 'to'] = ['from', 'to'];

/** In the order that a fleet goes through them. */
export const phases: readonly ['from', 'both', 'to'] = ['from', 'both', 'to'];

/** The end that a process must not act under while others act under `end`. */
export function oppositeOf(end: End): End {
  return end === 'from' ? 'to' : 'from';
}
