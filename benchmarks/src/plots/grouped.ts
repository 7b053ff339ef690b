import type { Result } from '../results.ts';
import type { Bar, Chart } from './chart.ts';

/** The value of a bar; `undefined` or NaN: no bar. */
export type Figure = (result: Result) => number | undefined;

/** How the results of a scenario become a chart. */
export interface Grouping extends Omit<Chart, 'groups'> {
  readonly group: (result: Result) => string;
  readonly of: Figure;
  /** Whether there is a range of ratios. */
  readonly range?: boolean;
}

export function grouped(results: readonly Result[], scenario: string, { group, of, range, ...chart }: Grouping): Chart {
  const bars = new Map<string, Bar[]>();
  for (const result of results) {
    const value = of(result);
    if (result.scenario !== scenario || value === undefined || Number.isNaN(value)) continue;
    const label = group(result);
    const bar: Bar = {
      series: result.subject,
      value,
      ...(range === true ? { low: result.ratioToRawLow, high: result.ratioToRawHigh } : {}),
    };
    bars.set(label, [...(bars.get(label) ?? []), bar]);
  }
  return { ...chart, groups: [...bars].map(([label, own]) => ({ label, bars: own })) };
}
