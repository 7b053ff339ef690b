import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { now, sleep } from '../clock.ts';
import type { Result } from '../results.ts';
import { percentile } from '../statistics.ts';
import type { RetryOptions } from '../subjects/subject.ts';
import { unpackClaims } from './claims.ts';
import { startCrews } from './crews.ts';
import { studyHandOvers } from './hand-overs.ts';
import { push } from './push-name.ts';
import { allCommands, readStatistics, resetStatistics } from './server-statistics.ts';

/** One setting of the contended scenario. */
export interface Contention {
  readonly waiters: number;
  readonly processes: number;
  readonly hold: number;
}

/** How long to look, in ms: for `least`, then until there were `acquisitions`, for `most` at most. */
export interface Patience {
  readonly least: number;
  readonly most: number;
  readonly acquisitions: number;
}

/** Many workers on one key. Counting starts when all of them are in line. */
export async function measureContended(
  url: string,
  control: Redis,
  subject: string,
  contention: Contention,
  patience: Patience,
  { retryDelay }: RetryOptions,
): Promise<Result> {
  const { waiters, processes, hold } = contention;
  await control.flushall();
  const key = `contended/${randomUUID()}`;
  const plan = { url, subject, key, processes, workers: waiters, hold, turns: Infinity, retryDelay };
  await using crews = await startCrews(plan);
  crews.order('begin');
  await crews.all('inLine');
  await resetStatistics(control);
  crews.order('measure');
  const from = now();
  await sleep(patience.least);
  // One and a half for each leave nobody without one who is served in turn.
  const enough = Math.max(patience.acquisitions, waiters * 1.5);
  while (subject !== push && crews.grants() < enough && now() < from + patience.most) await sleep(20);
  const to = now();
  crews.order('stop');
  const [server, reports] = await Promise.all([readStatistics(control), crews.reports()]);

  const cell = { scenario: 'redis/contended', subject, ...contention };
  if (subject === push) {
    const pushes = reports.flatMap((report) => report.pushes);
    return { ...cell, p50: percentile(pushes, 0.5), p99: percentile(pushes, 0.99) };
  }
  const claims = reports.flatMap((report) => unpackClaims(report.claims));
  const study = studyHandOvers(claims, waiters, { from, to });
  const { acquisitions } = study;
  const perAcquisition = (count: number): number | undefined => (acquisitions === 0 ? undefined : count / acquisitions);
  const sum = (of: (report: (typeof reports)[number]) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    ...cell,
    acquisitions,
    perSecond: (acquisitions / (to - from)) * 1_000,
    p50: percentile(study.gaps, 0.5),
    p99: percentile(study.gaps, 0.99),
    handedOver: perAcquisition(study.gaps.length),
    commandsPerAcquisition: perAcquisition(sum(({ commands }) => commands)),
    allCommandsPerAcquisition: perAcquisition(allCommands(server)),
    inversions: study.inversions,
    fairness: study.fairness,
    starved: study.starved,
    violations: study.violations,
    failures: sum(({ failures }) => failures),
    firstFailure: reports.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
  };
}
