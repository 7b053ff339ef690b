import type { Options } from './cli/command-line.ts';
import type { Rotation } from './measure/rotation.ts';
import type { Report } from './tables/report.ts';

/** What a suite works with. */
export interface SuiteContext {
  readonly options: Options;
  readonly random: () => number;
  /** Whether a scenario is wanted. */
  wants(scenario: string): boolean;
  /** Prints a line for people. */
  print(text: string): void;
  /** Measures a table. */
  readonly table: Report['table'];
}

/** Versions of the servers that a suite worked with, by name. */
export type Servers = Readonly<Record<string, string>>;

/** How long subjects take turns, in a full run and in a quick one. */
export function rotationFor({ options, random }: SuiteContext, rounds: number, slice: number): Rotation {
  return { rounds: options.quick ? Math.ceil(rounds / 3) : rounds, slice, random };
}
