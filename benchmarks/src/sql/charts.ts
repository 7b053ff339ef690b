import type { Result } from '../results.ts';
import type { Chart } from '../plots/chart.ts';
import { grouped } from '../plots/grouped.ts';

const databases = [
  { dialect: 'postgres', name: 'Postgres' },
  { dialect: 'mariadb', name: 'MariaDB' },
  { dialect: 'sqlite', name: 'SQLite' },
] as const;

/** The charts of the SQL suite. */
export function sqlCharts(results: readonly Result[]): Chart[] {
  return databases.flatMap(({ dialect, name }) => {
    const contended = `${dialect}/contended`;
    const group = ({ processes, hold }: Result): string => `${processes} process(es), ${hold} ms`;
    return [
      grouped(results, `${dialect}/uncontended`, {
        name: `${dialect}-uncontended`,
        title: `${name}: uncontended acquire and release, over the raw client`,
        unit: 'ratio: median of the rounds, with their range; the raw client has no queue',
        line: 1,
        group: ({ concurrency }) => `${concurrency} at once`,
        of: ({ ratioToRaw, subject }) => (subject === 'raw client' ? undefined : ratioToRaw),
        range: true,
      }),
      grouped(results, contended, {
        name: `${dialect}-gap`,
        title: `${name}: from release to the next holder, 100 waiters on one key, by processes and hold`,
        unit: 'ms, p50 (logarithmic); only hand-overs to another worker count',
        log: true,
        group,
        of: ({ p50 }) => p50,
      }),
      grouped(results, contended, {
        name: `${dialect}-statements`,
        title: `${name}: statements for each acquisition, 100 waiters on one key, by processes and hold`,
        unit: 'statements (logarithmic), those of the waiters included',
        log: true,
        group,
        of: (result) => result.statementsPerAcquisition,
      }),
      grouped(results, contended, {
        name: `${dialect}-fairness`,
        title: `${name}: fairness among 100 waiters on one key, by processes and hold`,
        unit: "Jain's index: 1 when all have the same",
        line: 1,
        group,
        of: ({ fairness }) => fairness,
      }),
    ];
  });
}
