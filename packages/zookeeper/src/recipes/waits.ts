import type { AttemptResult } from './recipe.ts';

/** In ms, for each place before a waiter: see `waitAt`. */
const waitPerPlace = 5_000;
/** In ms. With more, a waiter far behind notices a lost watch later. */
const longestWait = 60_000;
/** When to look again where there are too many watches, in ms. */
const unwatchedWait = 1_000;

/**
 * After how many ms a waiter looks for a change that a lost watch did not tell. Waiters far behind
 * look later. A thousand waiters that look every few seconds would send more than the locks.
 */
export function waitAt(place: number): number {
  return Math.min(longestWait, waitPerPlace * Math.max(1, place));
}

/** Not now: look again after so many ms. */
export function waitingFor(retryAfter: number): AttemptResult {
  return { holds: false, retryAfter };
}

/** Not now: a watch will tell when to look. `refused`: without a watch, look soon. */
export function waitingWith(watch: 'watching' | 'refused', place: number): AttemptResult {
  return waitingFor(watch === 'watching' ? waitAt(place) : unwatchedWait);
}
