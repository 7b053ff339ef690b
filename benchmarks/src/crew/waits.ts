import { fairness } from '../measure/statistics.ts';
import type { Claim } from './claims.ts';

/** The waits and shares of workers with the same number of turns. */
export interface Waits {
  readonly meanWait: number;
  readonly longestWait: number;
  /** Jain's index of the acquisitions until the first worker had all its turns. */
  readonly fairness: number | undefined;
}

/**
 * `claims`: of `workers` that want `turns` acquisitions each. One that still waits counts until
 * `to`.
 */
export function studyWaits(claims: readonly Claim[], workers: number, turns: number, to: number): Waits {
  const waits = claims.map(({ calledAt, grantedAt }) => Math.min(grantedAt, to) - calledAt);
  const shares = Array.from({ length: workers }, () => 0);
  for (const { worker } of claims
    .filter(({ grantedAt }) => grantedAt <= to)
    .toSorted((a, b) => a.grantedAt - b.grantedAt)) {
    const share = (shares[worker] ?? 0) + 1;
    shares[worker] = share;
    // After it fewer compete, and shares become equal if all get their turns.
    if (share === turns) break;
  }
  return {
    meanWait: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    longestWait: Math.max(...waits),
    fairness: fairness(shares),
  };
}
