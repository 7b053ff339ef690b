import type { Result } from '../results.ts';
import type { Target } from './gate.ts';

/** The name of this library in gates. */
export const own = '@locks';
/** Over its own connections, and over those of a knex. */
export const both: readonly string[] = [own, `${own} over knex`];

/** Chooses the results of a scenario with these subjects, and with these values. */
export function of(
  scenario: string,
  subjects: string | readonly string[] = own,
  values: Partial<Result> = {},
): Target['of'] {
  const wanted = Object.entries(values);
  return (result) =>
    result.scenario === scenario &&
    [subjects].flat().includes(result.subject) &&
    wanted.every(([name, value]) => result[name as keyof Result] === value);
}

export const ratio = (value: number | undefined, to: number | undefined): number =>
  (value ?? Number.NaN) / (to ?? Number.NaN);

/** The results of the same setting. */
export const beside = ({ scenario, concurrency, waiters, processes, hold }: Result, all: readonly Result[]): Result[] =>
  all.filter(
    (other) =>
      other.scenario === scenario &&
      other.concurrency === concurrency &&
      other.waiters === waiters &&
      other.processes === processes &&
      other.hold === hold,
  );

export const besideBy = (subject: string, result: Result, all: readonly Result[]): Result | undefined =>
  beside(result, all).find((other) => other.subject === subject);

/** The fastest of the others. */
export function fastest(others: readonly Result[]): number | undefined {
  return others.length === 0 ? undefined : Math.max(...others.map(({ perSecond = Number.NaN }) => perSecond));
}

/** Where time was up before every worker could have had a turn, none is known to starve. */
export const servedAll = ({ acquisitions = Infinity, waiters = 0 }: Result): boolean => acquisitions >= waiters * 1.5;
