import type { Runtime } from './runtime.ts';

const firstPoll = 20;
const longestPoll = 500;

/** Ms until the next attempt where the provider named the latest moment. Jitter only earlier. */
export function untilRetry(runtime: Runtime, retryAfter: number): number {
  return retryAfter * (1 - 0.1 * runtime.random());
}

/**
 * Ms until the next attempt where nobody named a moment: doubling from 20 to 500 ms, never above
 * the ttl, half of it jitter.
 */
export function untilPoll(runtime: Runtime, polls: number, ttl: number): number {
  return Math.min(firstPoll * 2 ** Math.min(polls, 5), longestPoll, ttl) * (0.5 + runtime.random() / 2);
}

/**
 * Ms until a rejected renewal is sent again: doubling from 1/20 of the ttl, at least 10 ms, half of
 * it jitter.
 */
export function untilRenewal(runtime: Runtime, failures: number, ttl: number): number {
  return Math.max(10, Math.min(ttl / 20, 1_000) * 2 ** Math.min(failures - 1, 4)) * (0.5 + runtime.random() / 2);
}
