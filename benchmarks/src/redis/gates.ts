import { push } from './push-name.ts';
import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';
import { atLeast, atMost, exactly, figuresOf, gate, largest, ofSubject, own, smallest, total } from '../gates/gate.ts';
import type { Gate } from '../gates/gate.ts';

export function uncontendedGates(results: readonly Result[]): Gate[] {
  const ours = ofSubject(results, 'redis/uncontended', own);
  const all = results.filter(({ scenario }) => scenario === 'redis/uncontended');
  const client = figuresOf(ours, (result) => result.commandsPerAcquisition);
  const inner = figuresOf(ours, (result) => result.allCommandsPerAcquisition).map(
    (commands, index) => commands - (client[index] ?? Number.NaN),
  );
  return [
    ...ours.flatMap((cell) => speedGates(cell, all)),
    ...gate('uncontended: exactly 2 client commands per pair', largest(client), exactly(2, 3)),
    ...gate('uncontended: ≤ 7 inner commands per pair', largest(inner), atMost(7, 3)),
  ];
}

/** The required ratio to the raw client, by concurrency. */
const overRaw: Readonly<Record<number, number>> = { 1: 0.85, 8: 1.2, 64: 1.4, 512: 1.4 };

function speedGates(cell: Result, all: readonly Result[]): Gate[] {
  const { concurrency = 0, ratioToRaw = Number.NaN, perSecond = Number.NaN, p99 = Number.NaN } = cell;
  const least = overRaw[concurrency];
  if (least === undefined) return [];
  const others = all.filter((other) => other.concurrency === concurrency && other.subject !== own);
  const raw = others.find(({ subject }) => subject === 'raw client');
  const peers = figuresOf(
    others.filter((other) => other !== raw),
    (other) => other.perSecond,
  );
  const best = largest(peers);
  const where = `uncontended, ${concurrency} at once`;
  return [
    ...gate(`${where}: ≥ ${least} × raw`, ratioToRaw, atLeast(least, 2)),
    ...gate(`${where}: p99 ≤ 1.3 × raw`, raw && p99 / (raw.p99 ?? Number.NaN), atMost(1.3, 2)),
    ...(concurrency >= 64 && best !== undefined
      ? gate(`${where}: ≥ 1.3 × the best peer`, perSecond / best, atLeast(1.3, 2))
      : []),
  ];
}

export function renewalGates(results: readonly Result[]): Gate[] {
  const [ours] = ofSubject(results, 'redis/renewal', own);
  const [peer] = ofSubject(results, 'redis/renewal', 'redis-semaphore');
  if (ours === undefined || peer === undefined) return [];
  const share = (of: (result: Result) => number | undefined): number =>
    (of(ours) ?? Number.NaN) / (of(peer) ?? Number.NaN);
  const target = "renewal of 10000 leases: ≤ 0.5 × redis-semaphore's CPU";
  return [
    ...gate(
      `${target} in the client`,
      share(({ clientCpu }) => clientCpu),
      atMost(0.5, 2),
    ),
    ...gate(
      `${target} in the server`,
      share(({ serverCpu }) => serverCpu),
      atMost(0.5, 2),
    ),
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
    ...gate('contended: ≤ 2.2 client commands per acquisition, in any setting', largest(commands), atMost(2.2, 2)),
    ...gate('contended: gap p50 ≤ 1.5 × reference, in any setting', largest(overReference), atMost(1.5, 2)),
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
      target: `total time at 2 ms hold, ${processes} process(es): ≤ 2400 ms, and below every peer's`,
      measured: `${inMs(totalTime)}, the best peer ${inMs(best)}`,
      met: totalTime < best && totalTime <= 2_400,
    };
  });
}

function sameCell(a: Result, b: Result): boolean {
  return a.waiters === b.waiters && a.processes === b.processes && a.hold === b.hold;
}

function inMs(time: number): string {
  return Number.isFinite(time) ? `${figure(time)} ms` : 'not done in time';
}
