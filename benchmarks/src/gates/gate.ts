import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';

/** One target, and what was measured. */
export interface Gate {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

type Figures = { readonly [Name in keyof Result as Result[Name] extends number | undefined ? Name : never]: number };

/**
 * What is judged of a result: the name of a figure, which meets no gate where it is missing, or
 * a function of it and of all results. There is no gate where that returns `undefined`.
 */
export type Judged = keyof Figures | ((result: Result, all: readonly Result[]) => number | undefined);

/** A target for the results that `of` chooses: for the worst of them, or for their sum. */
export interface Target {
  readonly target: string;
  of(result: Result): boolean;
  readonly judged: Judged;
  readonly worst: (values: readonly number[]) => number;
  /** Printed decimal places. */
  readonly digits: number;
  met(value: number): boolean;
}

const largest = (values: readonly number[]): number => Math.max(...values);
const smallest = (values: readonly number[]): number => Math.min(...values);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type Rule = (target: string, of: Target['of'], judged: Judged, limit: number, digits?: number) => Target;

const rule =
  (worst: Target['worst'], met: (value: number, limit: number) => boolean): Rule =>
  (target, of, judged, limit, digits = 2) => ({
    target,
    of,
    judged,
    worst,
    digits,
    met: (value) => met(value, limit),
  });

export const atLeast: Rule = rule(smallest, (value, limit) => value >= limit);
export const atMost: Rule = rule(largest, (value, limit) => value <= limit);
export const below: Rule = rule(largest, (value, limit) => value < limit);
export const exactly: Rule = rule(largest, (value, limit) => value === limit);
const total: Rule = rule(sum, (value, limit) => value === limit);
/** For something that must never happen. */
export const none = (target: string, of: Target['of'], judged: Judged): Target => total(target, of, judged, 0, 0);

/** The gates of `targets`: none where no result has a figure. */
export function judge(targets: readonly Target[], results: readonly Result[]): Gate[] {
  return targets.flatMap(({ target, of, judged, worst, digits, met }) => {
    const figureOf = typeof judged === 'function' ? judged : (result: Result) => result[judged] ?? Number.NaN;
    const figures = results.filter((result) => of(result)).flatMap((result) => figureOf(result, results) ?? []);
    if (figures.length === 0) return [];
    const value = worst(figures);
    return [{ target, measured: figure(value, digits), met: met(value) }];
  });
}

/** As lines of text. */
export function formatGates(gates: readonly Gate[]): string {
  const width = Math.max(...gates.map(({ target }) => target.length));
  const lines = gates.map(
    ({ target, measured, met }) => `${met ? 'met  ' : 'SHORT'}  ${target.padEnd(width)}  ${measured}`,
  );
  return ['\n## Gates', ...lines].join('\n');
}
