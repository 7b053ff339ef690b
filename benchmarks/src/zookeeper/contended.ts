import { randomUUID } from 'node:crypto';
import { failureText } from '../measure/failure.ts';
import { now, sleep } from '../measure/clock.ts';
import { contendedFigures, observe } from '../crew/contention.ts';
import type { Contention, Patience } from '../crew/contention.ts';
import { startCrews } from '../crew/crews.ts';
import { measureTurns } from '../crew/total-time.ts';
import type { Result } from '../results.ts';
import { median } from '../measure/statistics.ts';
import type { PeerPrograms } from './peer-programs.ts';
import type { Server } from './server.ts';

/** The raw client with two contenders, or with one in each process. */
export const handOver = 'hand-over';

/** Of subjects whose claims do not say when they have taken their places. */
const unknown: Partial<Result> = { inversions: undefined };

/** Many workers on one key. Counting starts when all of them are in the queue. */
export async function measureContended(
  server: Server,
  subject: string,
  { commands }: PeerPrograms,
  contention: Contention,
  patience: Patience,
): Promise<Result> {
  const { processes, hold } = contention;
  const reference = subject === handOver;
  const workers = reference ? Math.max(2, processes) : contention.waiters;
  await using crews = await startCrews({
    backend: 'zookeeper',
    url: server.url,
    subject: reference ? 'raw client' : subject,
    key: `contended-${randomUUID()}`,
    processes,
    workers,
    hold,
    turns: Infinity,
    retryDelay: undefined,
    program: commands.get(subject),
  });
  await crews.begin();
  await allWatch(server, workers);
  const before = await server.requests();
  // With one and a half for each, every worker that is served in turn has one.
  const window = await observe(crews, patience, Math.max(patience.acquisitions, workers * 1.5));
  const [after, reports] = await Promise.all([server.requests(), crews.reports()]);
  const figures = contendedFigures(reports, { waiters: workers, processes }, window);
  const { acquisitions } = figures;
  return {
    scenario: 'zookeeper/contended',
    subject,
    ...contention,
    ...figures,
    ...(knowsPlaces(subject, processes) ? {} : unknown),
    operationsPerAcquisition: acquisitions === 0 ? undefined : (after - before) / acquisitions,
  };
}

/**
 * Until nearly all watch the one before them: while the lock is handed on, a worker is always on
 * the way. For 10 s at most.
 */
async function allWatch(server: Server, workers: number): Promise<void> {
  const end = now() + 10_000;
  const enough = Math.floor((workers - 1) * 0.9);
  while ((await server.watches()) < enough && now() < end) await sleep(20);
}

/** In one process the connection of the raw client keeps the order of the calls. */
function knowsPlaces(subject: string, processes: number): boolean {
  return subject === '@locks' || (processes === 1 && (subject === 'raw client' || subject === handOver));
}

type TotalTime = Omit<Result, 'scenario' | 'subject'>;

/**
 * From the start until each worker has had the lock `turns` times, for `patience` ms at most: the
 * median of several runs, which take turns.
 */
export async function measureTotalTime(
  server: Server,
  names: readonly string[],
  { commands }: PeerPrograms,
  contention: Contention,
  { turns, rounds, patience }: { readonly turns: number; readonly rounds: number; readonly patience: number },
): Promise<Result[]> {
  const { waiters, processes, hold } = contention;
  const all = new Map<string, TotalTime[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [subject, runs] of all) {
      const plan = { backend: 'zookeeper', url: server.url, subject, key: `total-${randomUUID()}`, processes } as const;
      const program = commands.get(subject);
      const crew = { ...plan, workers: waiters, hold, turns, retryDelay: undefined, program };
      // One whose process dies was not done in time, and the others go on.
      const broken = (error: unknown): TotalTime => ({ failures: 1, firstFailure: failureText(error), completed: 0 });
      runs.push(await measureTurns(crew, patience).catch(broken));
    }
  }
  return [...all].map(([subject, runs]) => {
    const times = runs.map(({ totalTime }) => totalTime ?? Infinity);
    const middle = median(times);
    const finite = (time: number | undefined): number | undefined => (time === Infinity ? undefined : time);
    return {
      scenario: 'zookeeper/total-time',
      subject,
      ...contention,
      wanted: turns * waiters,
      completed: Math.min(...runs.map(({ completed }) => completed ?? 0)),
      totalTime: finite(middle),
      totalTimeLow: finite(Math.min(...times)),
      totalTimeHigh: finite(Math.max(...times)),
      held: median(runs.flatMap(({ held }) => held ?? [])),
      violations: runs.reduce((sum, { violations }) => sum + (violations ?? 0), 0),
      failures: runs.reduce((sum, { failures }) => sum + (failures ?? 0), 0),
      firstFailure: runs.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
    };
  });
}
