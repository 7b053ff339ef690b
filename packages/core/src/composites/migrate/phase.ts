/** The store that a process may use alone. */
export type End = 'from' | 'to';

/** Which stores a claim takes: one of them, or both. */
export type Phase = End | 'both';

/** The end that a process must not act under while others act under `end`. */
export function oppositeOf(end: End): End {
  return end === 'from' ? 'to' : 'from';
}
