import { now, sleep } from '../measure/clock.ts';
import type { Result } from '../results.ts';
import { percentile } from '../measure/statistics.ts';
import { unpackClaims } from './claims.ts';
import type { CrewReport } from './crew-messages.ts';
import type { Crews } from './crews.ts';
import { studyHandOvers } from './hand-overs.ts';
import type { Window } from './hand-overs.ts';

/** One setting of the contended scenario. */
export interface Contention {
  readonly waiters: number;
  readonly processes: number;
  readonly hold: number;
}

/**
 * How long to observe, in ms: for `least`, then until there were `acquisitions`, at most for
 * `most`.
 */
export interface Patience {
  readonly least: number;
  readonly most: number;
  readonly acquisitions: number;
}

/** Lets queued crews continue until enough was observed. `wanted` is 0 where no worker acquires. */
export async function observe(crews: Crews, { least, most }: Patience, wanted: number): Promise<Window> {
  const measured = crews.measure();
  const from = now();
  await measured;
  await sleep(least);
  while ((await crews.grants()) < wanted && now() < from + most) await sleep(100);
  return { from, to: now() };
}

/** The figures of a crew whose workers want one key. */
export function contendedFigures(
  reports: readonly CrewReport[],
  { waiters, processes }: Pick<Contention, 'waiters' | 'processes'>,
  window: Window,
): Omit<Result, 'scenario' | 'subject'> & { readonly acquisitions: number } {
  const claims = reports.flatMap((report) => unpackClaims(report.claims));
  const study = studyHandOvers(claims, waiters, window, processes);
  const { acquisitions } = study;
  return {
    acquisitions,
    perSecond: (acquisitions / (window.to - window.from)) * 1_000,
    p50: percentile(study.gaps, 0.5),
    p99: percentile(study.gaps, 0.99),
    crossedP50: percentile(study.crossGaps, 0.5),
    crossedP99: percentile(study.crossGaps, 0.99),
    crossed: acquisitions === 0 ? undefined : study.crossGaps.length / acquisitions,
    handedOver: acquisitions === 0 ? undefined : study.gaps.length / acquisitions,
    inversions: study.inversions,
    fairness: study.fairness,
    starved: study.starved,
    violations: study.violations,
    ...failuresOf(reports),
  };
}

export function failuresOf(reports: readonly CrewReport[]): Pick<Result, 'failures' | 'firstFailure'> {
  return {
    failures: reports.reduce((total, { failures }) => total + failures, 0),
    firstFailure: reports.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
  };
}

/** Of the reference. */
export function pushFigures(reports: readonly CrewReport[]): Pick<Result, 'p50' | 'p99'> {
  const pushes = reports.flatMap((report) => report.pushes);
  return { p50: percentile(pushes, 0.5), p99: percentile(pushes, 0.99) };
}
