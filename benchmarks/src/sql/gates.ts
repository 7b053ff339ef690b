import type { Result } from '../results.ts';
import { atLeast, atMost, exactly, figuresOf, gate, largest, ofSubject, own, smallest, total } from '../gates/gate.ts';
import type { Gate } from '../gates/gate.ts';

/** Ours, over its own connections and over those of a knex. */
const both = [own, `${own} over knex`] as const;

export function sqlGates(results: readonly Result[]): Gate[] {
  return [
    ...both.flatMap((subject) => uncontendedGates(results, subject)),
    ...contendedGates(results),
    ...logGates(results),
  ];
}

function uncontendedGates(results: readonly Result[], subject: string): Gate[] {
  const cells = ofSubject(results, 'postgres/uncontended', subject).filter(
    ({ concurrency }) => concurrency === 1 || concurrency === 16,
  );
  const statements = ofSubject(results, 'postgres/statements', subject);
  const overVerrou = cells.filter(({ ratioToVerrou }) => ratioToVerrou !== undefined);
  return [
    ...cells.flatMap((cell) =>
      gate(
        `Postgres, ${subject}, ${cell.concurrency} at once: ≥ 1 × raw`,
        cell.ratioToRaw ?? Number.NaN,
        atLeast(1, 2),
      ),
    ),
    ...overVerrou.flatMap((cell) =>
      gate(`Postgres, ${subject}, ${cell.concurrency} at once: ≥ 1.4 × verrou`, cell.ratioToVerrou, atLeast(1.4, 2)),
    ),
    ...gate(
      `Postgres, ${subject}: exactly 2 statements per pair`,
      largest(figuresOf(statements, (r) => r.statementsPerPair)),
      exactly(2, 3),
    ),
    ...gate(
      `Postgres, ${subject}: exactly 2 round trips per pair`,
      largest(figuresOf(statements, (r) => r.roundTripsPerPair)),
      exactly(2, 3),
    ),
  ];
}

function contendedGates(results: readonly Result[]): Gate[] {
  const cells = both.flatMap((subject) => contendedCells(results, subject));
  const everywhere = results.filter(({ scenario, subject }) => isContended(scenario) && subject.startsWith(own));
  // Without routines the order of the queue is not observed.
  const fair = everywhere.filter(({ subject }) => both.some((name) => name === subject));
  // Where time was up before every worker could have had a turn, none is known to starve.
  const served = fair.filter(({ acquisitions = Infinity, waiters = 0 }) => acquisitions >= waiters * 1.5);
  const listening = ofSubject(results, 'postgres/listening', 'a client waits for another key');
  return [
    ...gate(
      'Postgres, 100 waiters: gap p50 ≤ 5 ms, in any setting',
      largest(figuresOf(cells, ({ p50 }) => p50)),
      atMost(5, 2),
    ),
    ...gate(
      'Postgres, 100 waiters: ≤ 2.5 statements per acquisition, in any setting',
      largest(figuresOf(cells, (r) => r.statementsPerAcquisition)),
      atMost(2.5, 2),
    ),
    ...leastOverVerrou.flatMap(([processes, least]) =>
      gate(
        `Postgres, 100 waiters in ${processes} process(es): ≥ ${least} × verrou`,
        smallest(contendedOverVerrou(results, processes)),
        atLeast(least, 2),
      ),
    ),
    ...gate(
      'Postgres: with a listener ≥ 0.9 × without',
      smallest(figuresOf(listening, (r) => r.ratioToQuiet)),
      atLeast(0.9, 2),
    ),
    ...gate('SQL, contended: no inversion', total(figuresOf(fair, ({ inversions }) => inversions)), exactly(0, 0)),
    ...gate('SQL, contended: no worker starved', total(figuresOf(served, ({ starved }) => starved)), exactly(0, 0)),
    ...gate('SQL, contended: no call failed', total(figuresOf(everywhere, ({ failures }) => failures)), exactly(0, 0)),
    ...gate(
      'SQL, contended: never two holders',
      total(figuresOf(everywhere, ({ violations }) => violations)),
      exactly(0, 0),
    ),
  ];
}

/** By the number of processes. In several verrou hands most turns over within one, out of order. */
const leastOverVerrou = [
  [1, 1.1],
  [4, 0.85],
] as const;

/** With 100 waiters. A run may have had other numbers beside it. */
function contendedCells(results: readonly Result[], subject: string): Result[] {
  return ofSubject(results, 'postgres/contended', subject).filter(({ waiters }) => waiters === 100);
}

/** Acquisitions for each of verrou's, with and without a time held. */
function contendedOverVerrou(results: readonly Result[], processes: number): number[] {
  const cells = (subject: string): Result[] =>
    contendedCells(results, subject).filter((cell) => cell.processes === processes);
  return cells('verrou').flatMap(({ hold, perSecond = Number.NaN }) =>
    cells(own)
      .filter((cell) => cell.hold === hold)
      .map((cell) => (cell.perSecond ?? Number.NaN) / perSecond),
  );
}

function logGates(results: readonly Result[]): Gate[] {
  const lines = (dialect: string): number | undefined =>
    total(
      figuresOf(
        results.filter(({ scenario, subject }) => scenario === `${dialect}/contended` && subject.startsWith(own)),
        ({ severeLines }) => severeLines,
      ),
    );
  return [
    ...gate('Postgres, contended: 0 lines of level ERROR in the log', lines('postgres'), exactly(0, 0)),
    ...gate('MariaDB, contended: 0 lines of level ERROR in the log', lines('mariadb'), exactly(0, 0)),
  ];
}

function isContended(scenario: string): boolean {
  return ['postgres', 'mariadb', 'sqlite'].some((dialect) => scenario === `${dialect}/contended`);
}
