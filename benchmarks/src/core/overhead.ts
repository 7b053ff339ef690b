import type { Result } from '../results.ts';
import { median } from '../measure/statistics.ts';
import { runTask } from '../measure/tasks.ts';
import type { OverheadInput, OverheadOutput } from './overhead-task.ts';

/** The cost of core itself: every call of the provider answers immediately. */
export async function measureOverhead(input: OverheadInput): Promise<Result[]> {
  const output = await runTask<OverheadOutput>(new URL('./overhead-task.js', import.meta.url), input);
  const scenario = 'core/overhead';
  return [
    { scenario, subject: 'acquire + release', nanoseconds: median(output.acquireAndRelease) },
    { scenario, subject: 'renew', nanoseconds: median(output.renew) },
    { scenario, subject: 'held lease', leases: input.leases, heapBytes: output.heapBytes },
  ];
}
