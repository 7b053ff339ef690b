import type { AttemptResult } from './recipe.ts';

/** In ms, for each claim before a waiter: see `waitAt`. */
const waitPerPlace = 5_000;
/** In ms. With more, a waiter far behind detects a lost watch later. */
const longestWait = 60_000;
/** When to check again after too many watches, in ms. */
const unwatchedWait = 1_000;

/**
 * In ms: when a waiter checks for a change that a lost watch did not report. Waiters far behind
 * check later: a thousand waiters that check every few seconds would send more than the locks.
 */
export function waitAt(place: number): number {
  return Math.min(longestWait, waitPerPlace * Math.max(1, place));
}

/** Not now: check again after `retryAfter` ms. */
export function waitingFor(retryAfter: number): AttemptResult {
  return { holds: false, retryAfter };
}

/** Not now: a watch will notify. `refused`: without a watch, check soon. */
export function waitingWith(watch: 'watching' | 'refused', place: number): AttemptResult {
  return waitingFor(watch === 'watching' ? waitAt(place) : unwatchedWait);
}
