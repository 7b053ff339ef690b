import type { Options } from './cli/command-line.ts';
import type { Rotation } from './measure/rotation.ts';
import type { Result } from './results.ts';

/** What a suite works with. */
export interface SuiteContext {
  readonly options: Options;
  readonly random: () => number;
  /** Whether a scenario is wanted. */
  wants(scenario: string): boolean;
  /** Prints a line for people. */
  print(text: string): void;
}

/** What a suite found. */
export interface SuiteReport {
  readonly results: readonly Result[];
  /** Versions of the servers, by name. */
  readonly servers?: Readonly<Record<string, string>>;
}

/** How long subjects take turns, in a full run and in a quick one. */
export function rotationFor({ options, random }: SuiteContext, rounds: number, slice: number): Rotation {
  return { rounds: options.quick ? Math.ceil(rounds / 3) : rounds, slice, random };
}
