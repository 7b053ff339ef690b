import { expect, test } from 'vitest';
import { evaluateGates } from '../src/gates/gates.ts';
import type { Result } from '../src/results.ts';

function verdicts(...results: Result[]): Record<string, boolean> {
  return Object.fromEntries(evaluateGates(results).map(({ target, met }) => [target, met]));
}

const cell = {
  waiters: 100,
  processes: 4,
  hold: 0,
  p50: 1,
  statementsPerAcquisition: 2,
  inversions: 0,
  starved: 0,
  failures: 0,
  violations: 0,
  severeLines: 0,
};

test('the ratios of 1 and of 16 at once have gates, those of 64 have none', () => {
  const ours = { scenario: 'postgres/uncontended', subject: '@locks' };
  expect(
    verdicts(
      { ...ours, concurrency: 1, ratioToRaw: 1.05, ratioToVerrou: 1.5 },
      { ...ours, concurrency: 16, ratioToRaw: 0.75, ratioToVerrou: 1.39 },
      { ...ours, concurrency: 64, ratioToRaw: 0.5, ratioToVerrou: 1 },
      { ...ours, subject: '@locks over knex', concurrency: 1, ratioToRaw: 1 },
    ),
  ).toEqual({
    'Postgres, @locks, 1 at once: ≥ 1 × raw': true,
    'Postgres, @locks, 16 at once: ≥ 1 × raw': false,
    'Postgres, @locks, 1 at once: ≥ 1.4 × verrou': true,
    'Postgres, @locks, 16 at once: ≥ 1.4 × verrou': false,
    'Postgres, @locks over knex, 1 at once: ≥ 1 × raw': true,
  });
});

test('a pair is exactly two statements and two round trips, not fewer than that either', () => {
  const ours = { scenario: 'postgres/statements', subject: '@locks' };
  expect(verdicts({ ...ours, statementsPerPair: 2, roundTripsPerPair: 2.005 })).toEqual({
    'Postgres, @locks: exactly 2 statements per pair': true,
    'Postgres, @locks: exactly 2 round trips per pair': false,
  });
  expect(verdicts({ ...ours, statementsPerPair: 1.99, roundTripsPerPair: 2 })).toEqual({
    'Postgres, @locks: exactly 2 statements per pair': false,
    'Postgres, @locks: exactly 2 round trips per pair': true,
  });
});

test('the worst setting of ours counts, and no peer', () => {
  const all = verdicts(
    { ...cell, scenario: 'postgres/contended', subject: '@locks', hold: 0 },
    { ...cell, scenario: 'postgres/contended', subject: '@locks', hold: 2, p50: 5.1, statementsPerAcquisition: 2.6 },
    { ...cell, scenario: 'postgres/contended', subject: 'verrou', hold: 9, p50: 60, failures: 3, severeLines: 900 },
    { ...cell, scenario: 'sqlite/contended', subject: '@locks', severeLines: undefined, inversions: 1 },
  );
  expect(all).toEqual({
    'Postgres, 100 waiters: gap p50 ≤ 5 ms, in any setting': false,
    'Postgres, 100 waiters: ≤ 2.5 statements per acquisition, in any setting': false,
    'SQL, contended: no inversion': false,
    'SQL, contended: no worker starved': true,
    'SQL, contended: no call failed': true,
    'SQL, contended: never two holders': true,
    'Postgres, contended: 0 lines of level ERROR in the log': true,
  });
});

test('the lowest of the rates over verrou counts, for one process and for four', () => {
  const postgres = { ...cell, scenario: 'postgres/contended' };
  const rates = (processes: number, hold: number, ours: number, verrou: number): Result[] => [
    { ...postgres, subject: '@locks', processes, hold, perSecond: ours },
    { ...postgres, subject: '@locks over knex', processes, hold, perSecond: 1 },
    { ...postgres, subject: 'verrou', processes, hold, perSecond: verrou },
  ];
  const all = verdicts(
    ...rates(1, 0, 150, 100),
    ...rates(1, 2, 109, 100),
    ...rates(4, 0, 85, 100),
    ...rates(4, 2, 300, 100),
  );
  expect(all).toMatchObject({
    'Postgres, 100 waiters in 1 process(es): ≥ 1.1 × verrou': false,
    'Postgres, 100 waiters in 4 process(es): ≥ 0.85 × verrou': true,
  });
});

test('locks without routines, whose order is not watched, never grant to two', () => {
  const plain = { ...cell, scenario: 'postgres/contended', subject: '@locks without routines' };
  const all = verdicts({ ...plain, acquisitions: 1_000, inversions: 42, starved: 76, violations: 1 });
  expect(all).not.toHaveProperty(['SQL, contended: no inversion']);
  expect(all).not.toHaveProperty(['SQL, contended: no worker starved']);
  expect(all).toHaveProperty(['SQL, contended: never two holders'], false);
});

test('no worker starves in a cell that was too short to serve all', () => {
  const target = 'SQL, contended: no worker starved';
  const ours = { ...cell, scenario: 'mariadb/contended', subject: '@locks', starved: 3 };
  expect(verdicts({ ...ours, acquisitions: 149 })).not.toHaveProperty([target]);
  expect(verdicts({ ...ours, acquisitions: 150 })).toHaveProperty([target], false);
  expect(verdicts({ ...ours, acquisitions: 150, starved: 0 })).toHaveProperty([target], true);
});

test('one line in the log of either server is short, and so is a log that was not read', () => {
  const target = 'contended: 0 lines of level ERROR in the log';
  const postgres = { ...cell, scenario: 'postgres/contended', subject: '@locks' };
  const mariadb = { ...cell, scenario: 'mariadb/contended', subject: '@locks' };
  expect(verdicts(postgres, { ...mariadb, severeLines: 1 })).toMatchObject({
    [`Postgres, ${target}`]: true,
    [`MariaDB, ${target}`]: false,
  });
  expect(verdicts({ ...postgres, severeLines: undefined })[`Postgres, ${target}`]).toBe(false);
});

test('a cell that has no figures meets no gate', () => {
  const broken = { scenario: 'postgres/contended', subject: '@locks', failures: 1 };
  expect(Object.values(verdicts(broken))).toEqual(Object.values(verdicts(broken)).map(() => false));
});
