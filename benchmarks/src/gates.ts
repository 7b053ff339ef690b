import type { Result } from './results.ts';
import { figure } from './table.ts';

/** One target, and what was measured. */
export interface Gate {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

/** The gates that `results` say something about. */
export function evaluateGates(results: readonly Result[]): Gate[] {
  return [
    ...uncontendedGates(results),
    ...contendedGates(results),
    ...totalTimeGates(results),
    ...memoryGates(results),
    ...coreGates(results),
  ];
}

const own = '@locks';

function gate(target: string, value: number | undefined, digits: number, met: (value: number) => boolean): Gate[] {
  return value === undefined ? [] : [{ target, measured: figure(value, digits), met: met(value) }];
}

function uncontendedGates(results: readonly Result[]): Gate[] {
  const ours = ofSubject(results, 'redis/uncontended', own);
  const at = (concurrency: number): Result | undefined => ours.find((result) => result.concurrency === concurrency);
  const client = ours.map((result) => result.commandsPerAcquisition ?? Number.NaN);
  const inner = ours.map((r) => (r.allCommandsPerAcquisition ?? Number.NaN) - (r.commandsPerAcquisition ?? Number.NaN));
  return [
    ...gate('uncontended, 1 at once: ≥ 0.70 × raw', at(1)?.ratioToRaw, 2, (value) => value >= 0.7),
    ...gate('uncontended, 64 at once: ≥ 0.60 × raw', at(64)?.ratioToRaw, 2, (value) => value >= 0.6),
    ...gate('uncontended: 2 client commands per pair', largest(client), 3, (value) => value === 2),
    ...gate('uncontended: ≤ 7 inner commands per pair', largest(inner), 3, (value) => value <= 7),
  ];
}

function contendedGates(results: readonly Result[]): Gate[] {
  const all = results.filter(({ scenario }) => scenario === 'redis/contended');
  const ours = all.filter(({ subject }) => subject === own);
  const reference = (cell: Result): Result | undefined =>
    all.find((other) => other.subject.startsWith('PUBLISH') && sameCell(other, cell));
  const overReference = ours.map((cell) => (cell.p50 ?? Number.NaN) / (reference(cell)?.p50 ?? Number.NaN));
  const growth = ours
    .filter(({ waiters }) => waiters === 1_000)
    .map(
      (cell) =>
        (cell.p50 ?? Number.NaN) / (ours.find((other) => sameCell(other, { ...cell, waiters: 10 }))?.p50 ?? Number.NaN),
    );
  const hundred = ours.filter(({ waiters }) => waiters === 100);
  const sum = (of: (result: Result) => number | undefined, cells: readonly Result[]): number | undefined =>
    cells.length === 0 ? undefined : cells.reduce((total, result) => total + (of(result) ?? 0), 0);
  const fairnesses = hundred.map((result) => result.fairness ?? 0);
  return [
    ...gate(
      'contended: ≤ 3.5 client commands per acquisition, at any number of waiters',
      largest(ours.map((r) => r.commandsPerAcquisition ?? Number.NaN)),
      2,
      (value) => value <= 3.5,
    ),
    ...gate('contended: gap p50 ≤ 3 × reference, in any setting', largest(overReference), 2, (value) => value <= 3),
    ...gate('contended: gap p50 with 1000 waiters ≤ 1.5 × that with 10', largest(growth), 2, (value) => value <= 1.5),
    ...gate(
      'contended: no inversion',
      sum((r) => r.inversions, ours),
      0,
      (value) => value === 0,
    ),
    ...gate(
      'contended: Jain ≥ 0.95 with 100 workers',
      fairnesses.length === 0 ? undefined : Math.min(...fairnesses),
      3,
      (value) => value >= 0.95,
    ),
    ...gate(
      'contended: nobody starved',
      sum((r) => r.starved, ours),
      0,
      (value) => value === 0,
    ),
    ...gate(
      'contended: never two holders, whoever',
      sum((r) => r.violations, all),
      0,
      (value) => value === 0,
    ),
  ];
}

function totalTimeGates(results: readonly Result[]): Gate[] {
  const all = results.filter(({ scenario }) => scenario === 'redis/total-time');
  return all
    .filter(({ subject }) => subject === own)
    .map((ours) => {
      const peers = all.filter((other) => other.subject !== own && sameCell(other, ours));
      const best = Math.min(...peers.map(({ totalTime }) => totalTime ?? Infinity));
      const { totalTime = Infinity, processes } = ours;
      const inMs = (time: number): string => (Number.isFinite(time) ? `${figure(time)} ms` : 'not done in time');
      return {
        target: `total time at 2 ms hold, ${processes} process(es): below every peer's`,
        measured: `${inMs(totalTime)}, the best peer ${inMs(best)}`,
        met: totalTime < best,
      };
    });
}

function memoryGates(results: readonly Result[]): Gate[] {
  const pairs = ofSubject(results, 'memory/uncontended', own).map((result) => result.ratioToVerrou ?? Number.NaN);
  const heap = [...ofSubject(results, 'redis/heap', own), ...ofSubject(results, 'core/overhead', 'held lease')];
  return [
    ...gate('memory, uncontended: ≥ 4 × verrou', smallest(pairs), 2, (value) => value >= 4),
    ...gate(
      'heap per held lease: ≤ 700 B',
      largest(heap.map(({ heapBytes }) => heapBytes ?? Number.NaN)),
      0,
      (value) => value <= 700,
    ),
  ];
}

function coreGates(results: readonly Result[]): Gate[] {
  const [core] = ofSubject(results, 'core/import', '@locks/core');
  return gate('import of @locks/core: ≤ 15 ms over bare Node', core?.importTime, 1, (value) => value <= 15);
}

function ofSubject(results: readonly Result[], scenario: string, subject: string): Result[] {
  return results.filter((result) => result.scenario === scenario && result.subject === subject);
}

function sameCell(a: Result, b: Result): boolean {
  return a.waiters === b.waiters && a.processes === b.processes && a.hold === b.hold;
}

function largest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}

/** As lines of text. */
export function formatGates(gates: readonly Gate[]): string {
  const width = Math.max(...gates.map(({ target }) => target.length));
  const lines = gates.map(
    ({ target, measured, met }) => `${met ? 'met  ' : 'SHORT'}  ${target.padEnd(width)}  ${measured}`,
  );
  return ['\n## Gates', ...lines].join('\n');
}
