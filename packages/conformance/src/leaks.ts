import { AssertionError } from 'node:assert/strict';
import type { LeakCounts } from './options.ts';
import { now, sleep } from './time.ts';

/** Waits until no count is above `baseline`, for at most `limit` ms. Fails with the counts that stayed above. */
export async function settleLeaks(
  count: () => LeakCounts | Promise<LeakCounts>,
  baseline: LeakCounts,
  limit: number,
): Promise<void> {
  const deadline = now() + limit;
  for (;;) {
    const grown = difference(baseline, await count());
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
