import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { now, sleep } from '../clock.ts';
import type { Result } from '../results.ts';
import type { RetryOptions } from '../party.ts';
import { unpackClaims } from '../crew/claims.ts';
import { failuresOf } from '../crew/contention.ts';
import type { Contention } from '../crew/contention.ts';
import { startCrews } from '../crew/crews.ts';
import { studyHandOvers } from '../crew/hand-overs.ts';

/** From the start until each worker has had the lock `turns` times, for `patience` ms at most. */
export async function measureTotalTime(
  url: string,
  control: Redis,
  subject: string,
  contention: Contention,
  turns: number,
  patience: number,
  { retryDelay }: RetryOptions,
): Promise<Result> {
  const { waiters, processes, hold } = contention;
  await control.flushall();
  const key = `total/${randomUUID()}`;
  await using crews = await startCrews({
    backend: 'redis',
    url,
    subject,
    key,
    processes,
    workers: waiters,
    hold,
    turns,
    retryDelay,
  });
  const from = now();
  crews.order('begin');
  const done = crews.all('done');
  // It ends with the patience below, or with the processes.
  done.catch(() => {});
  await Promise.race([done, sleep(patience)]);
  crews.order('stop');
  const reports = await crews.reports();

  const claims = reports.flatMap((report) => unpackClaims(report.claims));
  const released = claims.filter(({ releasedAt }) => releasedAt < Infinity);
  const wanted = waiters * turns;
  const last = released.reduce((latest, { releasedAt }) => Math.max(latest, releasedAt), from);
  return {
    scenario: 'redis/total-time',
    subject,
    ...contention,
    wanted,
    completed: released.length,
    totalTime: released.length < wanted ? undefined : last - from,
    violations: studyHandOvers(claims, waiters, { from, to: last }).violations,
    ...failuresOf(reports),
  };
}
