import type { Traits } from '@locks/core';
import type { Level } from './requirement.ts';

/** `unverified`: it applies, but what its check needs was not given. */
export type Status = 'passed' | 'failed' | 'unverified' | 'not-applicable';

/** What became of one requirement. */
export interface RequirementResult {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly status: Status;
  /** What was expected and what happened, if it failed. */
  readonly error?: Error;
  /** Why it was not checked. */
  readonly reason?: string;
  /** In ms. */
  readonly duration: number;
}

/** What became of all of them. */
export interface ConformanceReport {
  readonly name: string;
  readonly traits: Traits;
  /** Option `seed` with this number repeats the random choices. */
  readonly seed: number;
  readonly results: readonly RequirementResult[];
  /** Where the provider declares less than it does. */
  readonly notes: readonly string[];
}

const marks: Readonly<Record<Status, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  unverified: 'unverified',
  'not-applicable': 'n/a',
};

/** The report as a table for people: status, ms and id of each requirement, failures, notes, and a line that sums up. */
export function printTable(report: ConformanceReport): string {
  const { name, traits, seed, results, notes } = report;
  const rows = results.map(({ id, status, duration, reason }) => {
    const why = reason === undefined ? '' : `  (${reason})`;
    return `${marks[status].padEnd(10)} ${String(Math.round(duration)).padStart(6)} ms  ${id}${why}`;
  });
  const failures = results.flatMap(({ id, title, error }) =>
    error === undefined ? [] : [`\n${id}: ${title}\n  ${error.message.replaceAll('\n', '\n  ')}`],
  );
  const declared = Object.entries(traits).map(([trait, value]) => `${trait} ${String(value)}`);
  return [
    `${name}: ${declared.join(', ')}`,
    ...rows,
    ...failures,
    ...notes.map((note) => `\nnote: ${note}`),
    `\n${summarize(results)} (seed ${seed})`,
  ].join('\n');
}

function summarize(results: readonly RequirementResult[]): string {
  const statuses: readonly Status[] = ['passed', 'failed', 'unverified', 'not-applicable'];
  const counts = statuses.map((status) => `${results.filter((result) => result.status === status).length} ${status}`);
  const seconds = results.reduce((sum, { duration }) => sum + duration, 0) / 1_000;
  return `${counts.join(', ')} in ${seconds.toFixed(1)} s`;
}
