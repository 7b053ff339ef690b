import { besideBy, both, of, own, ratio, servedAll } from './choose.ts';
import { atLeast, atMost, exactly, none } from './gate.ts';
import type { Target } from './gate.ts';

const contendedSql: Target['of'] = ({ scenario, subject }) =>
  ['postgres/contended', 'mariadb/contended', 'sqlite/contended'].includes(scenario) && subject.startsWith(own);
/** Without routines the order of the queue is not observed. */
const fairSql: Target['of'] = (result) => contendedSql(result) && both.includes(result.subject);

export const sqlTargets: readonly Target[] = [
  ...both.flatMap((subject) => [
    ...[1, 16].flatMap((concurrency) => {
      const cell = of('postgres/uncontended', subject, { concurrency });
      const where = `Postgres, ${subject}, ${concurrency} at once`;
      return [
        atLeast(`${where}: ≥ 1 × raw`, cell, 'ratioToRaw', 1),
        atLeast(`${where}: ≥ 1.4 × verrou`, cell, ({ ratioToVerrou }) => ratioToVerrou, 1.4),
      ];
    }),
    exactly(
      `Postgres, ${subject}: exactly 2 statements per pair`,
      of('postgres/statements', subject),
      'statementsPerPair',
      2,
      3,
    ),
    exactly(
      `Postgres, ${subject}: exactly 2 round trips per pair`,
      of('postgres/statements', subject),
      'roundTripsPerPair',
      2,
      3,
    ),
  ]),
  atMost(
    'Postgres, 100 waiters: gap p50 ≤ 5 ms, in any setting',
    of('postgres/contended', both, { waiters: 100 }),
    'p50',
    5,
  ),
  atMost(
    'Postgres, 100 waiters: ≤ 2.5 statements per acquisition, in any setting',
    of('postgres/contended', both, { waiters: 100 }),
    'statementsPerAcquisition',
    2.5,
  ),
  // In several processes verrou hands most turns over within one, out of order.
  ...(
    [
      [1, 1.1],
      [4, 0.85],
    ] as const
  ).map(([processes, least]) =>
    atLeast(
      `Postgres, 100 waiters in ${processes} process(es): ≥ ${least} × verrou`,
      of('postgres/contended', own, { waiters: 100, processes }),
      (ours, all) => {
        const verrou = besideBy('verrou', ours, all);
        return verrou && ratio(ours.perSecond, verrou.perSecond);
      },
      least,
    ),
  ),
  atLeast(
    'Postgres: with a listener ≥ 0.9 × without',
    of('postgres/listening', 'a client waits for another key'),
    'ratioToQuiet',
    0.9,
  ),
  none('SQL, contended: no inversion', fairSql, 'inversions'),
  none('SQL, contended: no worker starved', (result) => fairSql(result) && servedAll(result), 'starved'),
  none('SQL, contended: no call failed', contendedSql, 'failures'),
  none('SQL, contended: never two holders', contendedSql, 'violations'),
  ...['Postgres', 'MariaDB'].map((name) =>
    none(
      `${name}, contended: 0 lines of level ERROR in the log`,
      (result) => contendedSql(result) && result.scenario.startsWith(name.toLowerCase()),
      'severeLines',
    ),
  ),
];
