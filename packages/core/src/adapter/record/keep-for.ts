import { fastestRate } from './entry-ends.ts';
import type { StoredKey } from './record-text.ts';

/**
 * The wall clocks of processes differ by so many ms at most: the counter of a text that is gone
 * begins again at the clock of another process. A larger value keeps idle texts for longer.
 */
const clockSkew = 60_000;

/**
 * For how many ms a store must keep a record, whose time is `now`: until its entries have ended,
 * and the clock of each process has passed its token. `leastToken`: the clock of this process, as a
 * token.
 */
export function keepFor({ holds, queue, token }: StoredKey, now: number, leastToken: number): number {
  let ends = (token - leastToken) / 1_000;
  for (const { until } of holds) ends = Math.max(ends, until - now);
  for (const { until } of queue) ends = Math.max(ends, until - now);
  return Math.ceil(clockSkew + fastestRate * Math.max(0, ends));
}
