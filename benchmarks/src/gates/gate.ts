import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';

/** One target, and what was measured. */
export interface Gate {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

/** The name of this library in gates. */
export const own = '@locks';

/** How a gate judges its figure. */
export interface Judgement {
  /** Printed decimal places. */
  readonly digits: number;
  readonly met: (value: number) => boolean;
}

/** A gate on one figure; none without a figure. */
export function gate(target: string, value: number | undefined, { digits, met }: Judgement): Gate[] {
  return value === undefined ? [] : [{ target, measured: figure(value, digits), met: met(value) }];
}

export function atLeast(least: number, digits: number): Judgement {
  return { digits, met: (value) => value >= least };
}

export function atMost(most: number, digits: number): Judgement {
  return { digits, met: (value) => value <= most };
}

export function exactly(wanted: number, digits: number): Judgement {
  return { digits, met: (value) => value === wanted };
}

/** The figures of `results`. A missing one is NaN, which meets no gate. */
export function figuresOf(results: readonly Result[], of: (result: Result) => number | undefined): number[] {
  return results.map((result) => of(result) ?? Number.NaN);
}

export function largest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

export function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}

export function total(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

export function ofSubject(results: readonly Result[], scenario: string, subject: string): Result[] {
  return results.filter((result) => result.scenario === scenario && result.subject === subject);
}

/** As lines of text. */
export function formatGates(gates: readonly Gate[]): string {
  const width = Math.max(...gates.map(({ target }) => target.length));
  const lines = gates.map(
    ({ target, measured, met }) => `${met ? 'met  ' : 'SHORT'}  ${target.padEnd(width)}  ${measured}`,
  );
  return ['\n## Gates', ...lines].join('\n');
}
