import type { Runtime } from './runtime.ts';

const firstPoll = 20;
const longestPoll = 500;

/** Ms until the next attempt before the provider's limit. Jitter only earlier. */
export function untilRetry(runtime: Runtime, retryAfter: number): number {
  return retryAfter * (1 - 0.1 * runtime.random());
}

/**
 * The longest pause, in ms, while a backend refuses until a given time. With more, an earlier
 * recovery is noticed later.
 */
const longestRefusal = 5_000;

/** Ms until the next attempt where the backend refuses for `left` ms more. Jitter only later. */
export function untilAccepted(runtime: Runtime, left: number): number {
  return Math.min(left, longestRefusal) + firstPoll * (0.5 + runtime.random() / 2);
}

/**
 * Ms until the next attempt without a provider's limit: doubling from 20 to 500 ms, at most the
 * ttl. Half of it is jitter.
 */
export function untilPoll(runtime: Runtime, polls: number, ttl: number): number {
  return Math.min(firstPoll * 2 ** Math.min(polls, 5), longestPoll, ttl) * (0.5 + runtime.random() / 2);
}

/**
 * Ms until a rejected renewal is sent again: doubling from 1/20 of the ttl, and from at least 10
 * ms. Half of it is jitter.
 */
export function untilRenewal(runtime: Runtime, failures: number, ttl: number): number {
  return Math.max(10, Math.min(ttl / 20, 1_000) * 2 ** Math.min(failures - 1, 4)) * (0.5 + runtime.random() / 2);
}

/**
 * Ms until a provider that could not be opened is opened again: doubling from 100 ms to 3 s, half
 * of it jitter.
 */
export function untilReopened(runtime: Runtime, failures: number): number {
  return Math.min(100 * 2 ** Math.min(failures - 1, 5), 3_000) * (0.5 + runtime.random() / 2);
}
