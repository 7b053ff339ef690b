import type { RatioName, Ratios } from '../results.ts';

/** The value that `share` of the sorted `values` do not exceed; `undefined` without values. */
export function percentile(values: readonly number[] | Float64Array, share: number): number | undefined {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/**
 * The figure `name` of `values` over `base`, round by round: what changes between rounds changes
 * both.
 */
export function ratioFigures(name: RatioName, values: readonly number[], base: readonly number[]): Ratios {
  const ratios = values.flatMap((value, round) => {
    const other = base[round];
    return other !== undefined && other > 0 ? [value / other] : [];
  });
  if (ratios.length === 0) return {};
  return { [name]: median(ratios), [`${name}Low`]: Math.min(...ratios), [`${name}High`]: Math.max(...ratios) };
}

/**
 * Jain's fairness index: 1 when all have the same, 1/n when one of n has everything. `undefined`
 * when none has anything.
 */
export function fairness(shares: readonly number[]): number | undefined {
  let sum = 0;
  let squares = 0;
  for (const share of shares) {
    sum += share;
    squares += share * share;
  }
  return squares === 0 ? undefined : (sum * sum) / (shares.length * squares);
}
