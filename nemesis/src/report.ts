import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './check/check.ts';

/** How many violations are printed; the others are in the logs. */
const printed = 20;
/** How many of them are printed with their lines of the logs. */
const excerpted = 3;

/** The block that a run prints. */
export function describeVerdict(name: string, seed: number, { figures, violations, excerpts }: Verdict): string {
  const list = (counts: ReadonlyMap<string, number>): string =>
    counts.size === 0 ? 'none' : [...counts].map(([what, times]) => `${what} ${times}`).join(', ');
  const total = [...figures.faults.values()].reduce((sum, times) => sum + times, 0);
  const lines = [
    `${name}, seed ${seed}`,
    `  calls       ${figures.calls} by ${figures.workers} workers; ${figures.grants} grants, of which ${figures.calmGrants} in calm`,
    `  waits       median ${figures.medianWait.toFixed(1)} ms, longest ${ms(figures.longestWait)}, in calm ${ms(figures.longestCalmWait)}`,
    `  writes      ${figures.writes} accepted, ${figures.refusedWrites} stale ones refused`,
    `  faults      ${total}: ${list(figures.faults)}`,
    `  leases lost ${figures.lost}`,
    `  failures    ${list(figures.failures)}`,
    `  heap        ${figures.largestHeap.toFixed(1)} MiB at most at the end`,
    `  violations  ${violations.length}`,
    ...violations.slice(0, printed).map((violation) => `    ${violation}`),
  ];
  if (violations.length > printed) lines.push(`    and ${violations.length - printed} more`);
  lines.push(...excerpts.slice(0, excerpted));
  return lines.join('\n');
}

/** Whether there is no violation; otherwise `folder` gets a page that shows the run. */
export function isFine(folder: string, { violations, timeline }: Verdict): boolean {
  if (violations.length > 0) writeFileSync(join(folder, 'timeline.html'), timeline());
  return violations.length === 0;
}

function ms(time: number): string {
  return `${Math.round(time)} ms`;
}
