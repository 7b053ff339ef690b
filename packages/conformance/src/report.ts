import type { Traits } from '@locks/core';
import type { Need } from './faults/faults.ts';
import type { Level } from './requirement.ts';

/** `unverified`: it applies, but what its check needs was not given. */
export type Status = 'passed' | 'failed' | 'unverified' | 'not-applicable';

/** The result of one requirement. */
export interface RequirementResult {
  /** The name of the requirement, in kebab case. */
  readonly id: string;
  /** What the requirement demands, in one sentence. */
  readonly title: string;
  /** How binding the requirement is. */
  readonly level: Level;
  /** The result of the check. */
  readonly status: Status;
  /** What was expected and what happened, if it failed. */
  readonly error?: Error;
  /** Why it was not checked. */
  readonly reason?: string;
  /** If it is unverified: the missing needs of its check. */
  readonly missing?: readonly Need[];
  /** In ms. */
  readonly duration: number;
}

/** The results of all requirements. */
export interface ConformanceReport {
  /** Option `name`. */
  readonly name: string;
  /** What the provider declares. */
  readonly traits: Traits;
  /** Option `seed` with this number repeats the random choices. */
  readonly seed: number;
  /** The result of each requirement, in order. */
  readonly results: readonly RequirementResult[];
  /** `incomplete`: none has failed, and some are unverified. With option `strict` these fail. */
  readonly verdict: 'passed' | 'incomplete' | 'failed';
  /** Where the provider declares less than it does. */
  readonly notes: readonly string[];
}

const marks: Readonly<Record<Status, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  unverified: 'unverified',
  'not-applicable': 'n/a',
};

/** The report as a table: a line for each requirement, then failures, notes and a sum. */
export function printTable(report: ConformanceReport): string {
  return [formatHead(report), ...report.results.map(formatResult), formatEnd(report)].join('\n');
}

/** The first line: the name and what the provider declares. */
export function formatHead({ name, traits }: Pick<ConformanceReport, 'name' | 'traits'>): string {
  const declared = Object.entries(traits).map(([trait, value]) => `${trait} ${String(value)}`);
  return `${name}: ${declared.join(', ')}`;
}

/** Status, ms, id and title of one requirement, and why it failed or was not checked. */
export function formatResult({ id, title, status, duration, reason, error }: RequirementResult): string {
  const why = error === undefined ? reason && `  (${reason})` : `\n  ${indented(error)}`;
  return `${marks[status].padEnd(10)} ${String(Math.round(duration)).padStart(6)} ms  ${id}: ${title}${why ?? ''}`;
}

/** What follows the lines of the requirements: failures, notes, the missing options, and a sum. */
export function formatEnd({ results, notes, seed, verdict }: ConformanceReport): string {
  const failures = results.flatMap(({ id, title, error }) =>
    error === undefined ? [] : [`\n${id}: ${title}\n  ${indented(error)}`],
  );
  const told = notes.map((note) => `\nnote: ${note}`);
  return [...failures, ...told, ...unverified(results), `\n${verdict}: ${summarize(results)} (seed ${seed})`].join(
    '\n',
  );
}

function indented({ message }: Error): string {
  return message.replaceAll('\n', '\n  ');
}

/** Which options would verify the others, and how many requirements each. */
function unverified(results: readonly RequirementResult[]): readonly string[] {
  const counts = new Map<Need, number>();
  for (const need of results.flatMap(({ missing = [] }) => missing)) counts.set(need, (counts.get(need) ?? 0) + 1);
  if (counts.size === 0) return [];
  const needs = [...counts].map(([need, count]) => `${need} (${count})`);
  return [`\nunverified, missing: ${needs.join(', ')}`];
}

function summarize(results: readonly RequirementResult[]): string {
  const statuses: readonly Status[] = ['passed', 'failed', 'unverified', 'not-applicable'];
  const counts = statuses.map((status) => `${results.filter((result) => result.status === status).length} ${status}`);
  const seconds = results.reduce((sum, { duration }) => sum + duration, 0) / 1_000;
  return `${counts.join(', ')} in ${seconds.toFixed(1)} s`;
}
