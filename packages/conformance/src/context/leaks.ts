import { AssertionError } from 'node:assert/strict';
import { show } from '../checks/expect.ts';
import type { LeakCounts } from '../options.ts';
import { now, sleep, within } from '../checks/time.ts';

/** The current counts. Fails unless they are numbers by name, within `limit` ms. */
export async function countLeaks(count: () => LeakCounts | Promise<LeakCounts>, limit: number): Promise<LeakCounts> {
  const counts: unknown = await within(limit, Promise.resolve(count()), 'option "leaks" to answer');
  const sound = typeof counts === 'object' && counts !== null && Object.values(counts).every(Number.isFinite);
  if (!sound) {
    const message = `expected option "leaks" to give numbers by name, such as { keys: 0 }, got ${show(counts)}`;
    throw new AssertionError({ message });
  }
  return counts as LeakCounts;
}

/**
 * Waits until no count is above `baseline`, for at most `limit` ms, and as long for the last count.
 * Fails with the counts that stayed above.
 */
export async function settleLeaks(
  count: () => LeakCounts | Promise<LeakCounts>,
  baseline: LeakCounts,
  limit: number,
): Promise<void> {
  const deadline = now() + limit;
  for (;;) {
    const grown = difference(baseline, await countLeaks(count, limit));
    if (grown.length === 0) return;
    if (now() >= deadline) {
      const message = `leaks: expected nothing to be left behind within ${Math.round(limit)} ms; ${grown.join(', ')}`;
      throw new AssertionError({ message });
    }
    await sleep(10);
  }
}

function difference(before: LeakCounts, after: LeakCounts): string[] {
  return Object.entries(after)
    .filter(([name, count]) => count > (before[name] ?? 0))
    .map(([name, count]) => `${name} went from ${before[name] ?? 0} to ${count}`);
}
