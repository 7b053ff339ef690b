import { push } from './push-name.ts';
import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';
import { atLeast, atMost, exactly, figuresOf, gate, largest, ofSubject, own, smallest, total } from '../gates/gate.ts';
import type { Gate } from '../gates/gate.ts';

export function uncontendedGates(results: readonly Result[]): Gate[] {
  const ours = ofSubject(results, 'redis/uncontended', own);
  const ratioAt = (wanted: number): number | undefined =>
    largest(
      figuresOf(
        ours.filter(({ concurrency }) => concurrency === wanted),
        ({ ratioToRaw }) => ratioToRaw,
      ),
    );
  const client = figuresOf(ours, (result) => result.commandsPerAcquisition);
  const all = figuresOf(ours, (result) => result.allCommandsPerAcquisition);
  const inner = all.map((commands, index) => commands - (client[index] ?? Number.NaN));
  return [
    ...gate('uncontended, 1 at once: ≥ 0.70 × raw', ratioAt(1), atLeast(0.7, 2)),
    ...gate('uncontended, 64 at once: ≥ 0.60 × raw', ratioAt(64), atLeast(0.6, 2)),
    ...gate('uncontended: exactly 2 client commands per pair', largest(client), exactly(2, 3)),
    ...gate('uncontended: ≤ 7 inner commands per pair', largest(inner), atMost(7, 3)),
  ];
}

export function contendedGates(results: readonly Result[]): Gate[] {
  const ours = ofSubject(results, 'redis/contended', own);
  const references = ofSubject(results, 'redis/contended', push);
  const cells = results.filter(({ scenario, subject }) => scenario === 'redis/contended' && subject !== push);
  const gapOver = (cell: Result, others: readonly Result[], waiters: number | undefined): number =>
    (cell.p50 ?? Number.NaN) / (others.find((other) => sameCell(other, { ...cell, waiters }))?.p50 ?? Number.NaN);
  const overReference = ours.map((cell) => gapOver(cell, references, cell.waiters));
  const growth = ours.filter(({ waiters }) => waiters === 1_000).map((cell) => gapOver(cell, ours, 10));
  const commands = figuresOf(ours, (result) => result.commandsPerAcquisition);
  const hundred = ours.filter(({ waiters }) => waiters === 100);
  return [
    ...gate('contended: ≤ 3.5 client commands per acquisition, in any setting', largest(commands), atMost(3.5, 2)),
    ...gate('contended: gap p50 ≤ 3 × reference, in any setting', largest(overReference), atMost(3, 2)),
    ...gate('contended: gap p50 with 1000 waiters ≤ 1.5 × that with 10', largest(growth), atMost(1.5, 2)),
    ...gate('contended: no inversion', total(figuresOf(ours, ({ inversions }) => inversions)), exactly(0, 0)),
    ...gate(
      'contended: Jain ≥ 0.95 with 100 workers',
      smallest(figuresOf(hundred, (r) => r.fairness)),
      atLeast(0.95, 3),
    ),
    ...gate('contended: no worker starved', total(figuresOf(ours, ({ starved }) => starved)), exactly(0, 0)),
    ...gate(
      'contended: never two holders, of any subject',
      total(figuresOf(cells, (r) => r.violations)),
      exactly(0, 0),
    ),
  ];
}

export function totalTimeGates(results: readonly Result[]): Gate[] {
  const all = results.filter(({ scenario }) => scenario === 'redis/total-time');
  return ofSubject(results, 'redis/total-time', own).map((ours) => {
    const peers = all.filter((other) => other.subject !== own && sameCell(other, ours));
    const best = Math.min(...peers.map(({ totalTime }) => totalTime ?? Infinity));
    const { totalTime = Infinity, processes } = ours;
    return {
      target: `total time at 2 ms hold, ${processes} process(es): below every peer's`,
      measured: `${inMs(totalTime)}, the best peer ${inMs(best)}`,
      met: totalTime < best,
    };
  });
}

function sameCell(a: Result, b: Result): boolean {
  return a.waiters === b.waiters && a.processes === b.processes && a.hold === b.hold;
}

function inMs(time: number): string {
  return Number.isFinite(time) ? `${figure(time)} ms` : 'not done in time';
}
