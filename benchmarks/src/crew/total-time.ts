import { now, sleep } from '../measure/clock.ts';
import type { Result } from '../results.ts';
import { unpackClaims } from './claims.ts';
import { failuresOf } from './contention.ts';
import { startCrews } from './crews.ts';
import type { Plan } from './crews.ts';
import { studyHandOvers } from './hand-overs.ts';

/** From the start until each worker has had its turns, at most `patience` ms. */
export async function measureTurns(plan: Plan, patience: number): Promise<Omit<Result, 'scenario' | 'subject'>> {
  const { workers, turns } = plan;
  await using crews = await startCrews(plan);
  const from = now();
  const done = crews.begin().then(() => crews.finish());
  // It ends with the patience below, or with the processes.
  done.catch(() => {});
  await Promise.race([done, sleep(patience)]);
  const reports = await crews.reports();

  const claims = reports.flatMap((report) => unpackClaims(report.claims));
  const released = claims.filter(({ releasedAt }) => releasedAt < Infinity);
  const wanted = workers * turns;
  const last = released.reduce((latest, { releasedAt }) => Math.max(latest, releasedAt), from);
  return {
    wanted,
    completed: released.length,
    totalTime: released.length < wanted ? undefined : last - from,
    held: released.reduce((sum, { grantedAt, releasedAt }) => sum + releasedAt - grantedAt, 0) / released.length,
    violations: studyHandOvers(claims, workers, { from, to: last }).violations,
    ...failuresOf(reports),
  };
}
