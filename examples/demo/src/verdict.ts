import type { Findings } from './findings.ts';

/** Whether the lock kept its promise, and one line that says so. */
export interface Verdict {
  readonly kept: boolean;
  readonly line: string;
}

/** Judges the run with the lock alone; the one without is there for comparison. */
export function judge(without: Findings, under: Findings, workers: number): Verdict {
  if (under.lost !== 0) return broken(`with the lock the balance is ${under.actual} after ${under.made} updates.`);
  if (under.lock === undefined) return broken('nobody ever held the lock.');
  if (!under.lock.tokensIncrease) return broken('the fencing tokens of the lock did not strictly increase.');
  return { kept: true, line: compare(without, under, workers) };
}

function compare(without: Findings, under: Findings, workers: number): string {
  if (workers === 1) return 'One worker alone loses nothing, with or without a lock; try --workers 4.';
  const bare =
    without.lost > 0
      ? `Without a lock ${without.lost} of ${without.made} updates got lost, overwritten by other workers`
      : 'Without a lock nothing was lost this time, by luck';
  return `${bare}; with it, none of ${under.made}.`;
}

function broken(why: string): Verdict {
  return { kept: false, line: `FAILED: ${why}` };
}
