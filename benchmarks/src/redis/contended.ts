import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { contendedFigures, observe, pushFigures } from '../crew/contention.ts';
import type { Contention, Patience } from '../crew/contention.ts';
import { startCrews } from '../crew/crews.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { push } from './push-name.ts';
import { allCommands, readStatistics, resetStatistics } from './server-statistics.ts';

/** Many workers on one key. Counting starts when all of them are in the queue. */
export async function measureContended(
  url: string,
  controls: readonly Redis[],
  subject: string,
  contention: Contention,
  patience: Patience,
  { retryDelay }: RetryOptions,
): Promise<Result> {
  const { waiters, processes, hold } = contention;
  await Promise.all(controls.map((control) => control.flushall()));
  const key = `contended/${randomUUID()}`;
  const plan = { url, subject, key, processes, workers: waiters, hold, turns: Infinity, retryDelay };
  await using crews = await startCrews({ backend: 'redis', ...plan });
  await crews.begin();
  await resetStatistics(controls);
  // With one and a half for each, every worker in a fair queue has one.
  const wanted = subject === push ? 0 : Math.max(patience.acquisitions, waiters * 1.5);
  const window = await observe(crews, patience, wanted);
  const [server, reports] = await Promise.all([readStatistics(controls), crews.reports()]);

  const cell = { scenario: 'redis/contended', subject, ...contention };
  if (subject === push) return { ...cell, ...pushFigures(reports) };
  const figures = contendedFigures(reports, contention, window);
  const { acquisitions } = figures;
  const perAcquisition = (count: number): number | undefined => (acquisitions === 0 ? undefined : count / acquisitions);
  const commands = reports.reduce((total, report) => total + report.commands, 0);
  return {
    ...cell,
    ...figures,
    commandsPerAcquisition: perAcquisition(commands),
    allCommandsPerAcquisition: perAcquisition(allCommands(server)),
  };
}
