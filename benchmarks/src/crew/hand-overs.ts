import { fairness } from '../measure/statistics.ts';
import type { Claim } from './claims.ts';
import { processOf } from './workers.ts';

/** The period of the observed claims, by the time of their grant. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Statistics of the claims of all workers on one key. */
export interface HandOvers {
  readonly acquisitions: number;
  /** Ms from the moment a release was sent to the next grant, where that went to another worker. */
  readonly gaps: readonly number[];
  /** Those of `gaps` where the grant came in another process than the release. */
  readonly crossGaps: readonly number[];
  /** Grants that came while a certainly earlier claim waited. */
  readonly inversions: number;
  /** Grants that came before the holder had sent its release: two holders. */
  readonly violations: number;
  readonly fairness: number | undefined;
  /** Workers without an acquisition. */
  readonly starved: number;
}

/** @param processes The number of processes of the workers. */
export function studyHandOvers(
  claims: readonly Claim[],
  workers: number,
  { from, to }: Window,
  processes = 1,
): HandOvers {
  const split = { workers, processes };
  // What came after the end is not known of all processes.
  const granted = claims.filter(({ grantedAt }) => grantedAt <= to).toSorted((a, b) => a.grantedAt - b.grantedAt);
  const shares = Array.from({ length: workers }, () => 0);
  const gaps: number[] = [];
  const crossGaps: number[] = [];
  const within = ({ grantedAt }: Claim): boolean => grantedAt >= from && grantedAt <= to;
  let acquisitions = 0;
  let violations = 0;
  let lastRelease = -Infinity;
  for (const [index, claim] of granted.entries()) {
    const previous = granted[index - 1];
    if (claim.grantedAt < lastRelease) violations += 1;
    lastRelease = Math.max(lastRelease, claim.releasedAt);
    if (!within(claim)) continue;
    acquisitions += 1;
    shares[claim.worker] = (shares[claim.worker] ?? 0) + 1;
    if (previous === undefined || previous.worker === claim.worker) continue;
    const gap = claim.grantedAt - previous.releasedAt;
    gaps.push(gap);
    if (processOf(previous.worker, split) !== processOf(claim.worker, split)) crossGaps.push(gap);
  }
  return {
    acquisitions,
    gaps,
    crossGaps,
    inversions: countInversions(claims, within),
    violations,
    fairness: fairness(shares),
    starved: shares.filter((share) => share === 0).length,
  };
}

/**
 * The grants that overtook an earlier claim: one that had its position (`placedAt`) before this one
 * was called (`calledAt`), and was granted later or never.
 */
function countInversions(claims: readonly Claim[], counts: (claim: Claim) => boolean): number {
  // Latest grant first: the claims already seen were granted later, or never.
  const byGrant = claims.toSorted((a, b) => (a.grantedAt === b.grantedAt ? 0 : b.grantedAt - a.grantedAt));
  let earliestPlace = Infinity;
  let inversions = 0;
  for (const claim of byGrant) {
    if (claim.grantedAt < Infinity && earliestPlace < claim.calledAt && counts(claim)) inversions += 1;
    earliestPlace = Math.min(earliestPlace, claim.placedAt);
  }
  return inversions;
}
