import type { Redis } from 'ioredis';
import type { Result } from '../results.ts';
import { runTask } from '../measure/tasks.ts';
import type { RenewalInput, RenewalOutput } from './renewal-task.ts';

/** Of each lock, in ms. */
const ttl = 6_000;

/** The subjects: those with background renewal. */
const subjects = ['idle connection', '@locks', 'redis-semaphore'] as const;

/** The CPU time for many held locks, each renewed at a third of its ttl. */
export async function measureRenewal(url: string, control: Redis, leases: number, rounds: number): Promise<Result[]> {
  const results: Result[] = [];
  for (const subject of subjects) {
    await control.flushall();
    // Whole rounds of renewals, or their number would depend on the window.
    const input: RenewalInput = { url, subject, leases, ttl, window: (ttl / 3) * rounds };
    const output = await runTask<RenewalOutput>(new URL('./renewal-task.js', import.meta.url), input);
    results.push({ scenario: 'redis/renewal', subject, leases, ...output });
  }
  await control.flushall();
  return results;
}
