import { randomUUID } from 'node:crypto';
import { now, sleep } from '../measure/clock.ts';
import { unpackClaims } from '../crew/claims.ts';
import { failuresOf } from '../crew/contention.ts';
import type { Contention } from '../crew/contention.ts';
import { startCrews } from '../crew/crews.ts';
import { studyHandOvers } from '../crew/hand-overs.ts';
import { studyWaits } from '../crew/waits.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { percentile } from '../measure/statistics.ts';

/** Until each of the contenders has had the lock `turns` times, at most `patience` ms. */
export async function measureContended(
  urls: readonly string[],
  subject: string,
  contention: Contention,
  turns: number,
  patience: number,
  { retryDelay }: RetryOptions,
): Promise<Result> {
  const { waiters, processes, hold } = contention;
  const key = `contended/${randomUUID()}`;
  const url = urls.join(',');
  const plan = { url, subject, key, processes, workers: waiters, hold, turns, retryDelay };
  await using crews = await startCrews({ backend: 'redlock', ...plan });
  await crews.measure();
  const from = now();
  const done = crews.begin().then(() => crews.finish());
  // It ends with the patience below, or with the processes.
  done.catch(() => {});
  await Promise.race([done, sleep(patience)]);
  const reports = await crews.reports();
  const to = now();

  const claims = reports.flatMap((report) => unpackClaims(report.claims));
  const released = claims.filter(({ releasedAt }) => releasedAt < Infinity);
  const wanted = waiters * turns;
  const last = released.reduce((latest, { releasedAt }) => Math.max(latest, releasedAt), from);
  const commands = reports.reduce((total, report) => total + report.commands, 0);
  const study = studyHandOvers(claims, waiters, { from, to });
  return {
    scenario: 'redlock/contended',
    subject,
    ...contention,
    wanted,
    completed: released.length,
    totalTime: released.length < wanted ? undefined : last - from,
    acquisitions: study.acquisitions,
    p50: percentile(study.gaps, 0.5),
    p99: percentile(study.gaps, 0.99),
    handedOver: study.acquisitions === 0 ? undefined : study.gaps.length / study.acquisitions,
    inversions: study.inversions,
    violations: study.violations,
    ...studyWaits(claims, waiters, turns, to),
    commandsPerAcquisition: study.acquisitions === 0 ? undefined : commands / study.acquisitions,
    ...failuresOf(reports),
  };
}
