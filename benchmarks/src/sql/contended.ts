import { randomUUID } from 'node:crypto';
import { contendedFigures, observe, pushFigures } from '../crew/contention.ts';
import type { Contention, Patience } from '../crew/contention.ts';
import { startCrews } from '../crew/crews.ts';
import { sleep } from '../measure/clock.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import type { Database } from './database.ts';
import { notification } from './notify-name.ts';

/** How long to observe warmed-up workers. */
export interface SqlPatience extends Patience {
  /** The warm-up, in ms: new code takes twice the time. */
  readonly warmUp: number;
}

/**
 * The interval between starts of workers, in ms, in one process after the other. Else those of a
 * process are adjacent in the queue, and most hand-overs stay within one.
 */
const spread = 6;

/**
 * Many workers on one key. Counting starts when all of them are in the queue; log lines count until
 * they have disconnected.
 */
export async function measureContended(
  database: Database,
  subject: string,
  contention: Contention,
  patience: SqlPatience,
  options: RetryOptions,
): Promise<Result> {
  const before = await database.severeLines();
  const result = await runContended(database, subject, contention, patience, options);
  await database.quiet();
  const after = await database.severeLines();
  return { ...result, severeLines: after === undefined || before === undefined ? undefined : after - before };
}

async function runContended(
  database: Database,
  subject: string,
  contention: Contention,
  { warmUp, ...patience }: SqlPatience,
  { retryDelay }: RetryOptions,
): Promise<Result> {
  const { url, dialect } = database;
  const { waiters, processes, hold } = contention;
  const key = `contended/${randomUUID()}`;
  const plan = { url, subject, key, processes, workers: waiters, hold, turns: Infinity, retryDelay, spread };
  await using crews = await startCrews({ backend: 'sql', ...plan });
  await crews.begin();
  await sleep(warmUp);
  await database.resetStatements();
  // With one and a half for each, every worker in a fair queue has one.
  const wanted = subject === notification ? 0 : Math.max(patience.acquisitions, waiters * 1.5);
  const window = await observe(crews, patience, wanted);
  const [statements, reports] = await Promise.all([database.statements(), crews.reports()]);
  const cell = { scenario: `${dialect}/contended`, subject, ...contention };
  if (subject === notification) return { ...cell, ...pushFigures(reports) };
  const figures = contendedFigures(reports, contention, window);
  const { acquisitions } = figures;
  const perAcquisition = (all: number | undefined): number | undefined =>
    all === undefined || acquisitions === 0 ? undefined : all / acquisitions;
  return {
    ...cell,
    ...figures,
    statementsPerAcquisition: perAcquisition(statements?.count),
    serverMicroseconds: perAcquisition(statements?.microseconds),
  };
}
