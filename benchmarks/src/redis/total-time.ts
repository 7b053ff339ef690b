import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Contention } from '../crew/contention.ts';
import { measureTurns } from '../crew/total-time.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';

/** From the start until each worker has had the lock `turns` times, at most `patience` ms. */
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
  const plan = { url, subject, key, processes, workers: waiters, hold, turns, retryDelay };
  const figures = await measureTurns({ backend: 'redis', ...plan }, patience);
  return { scenario: 'redis/total-time', subject, ...contention, ...figures };
}
