import type { Redis } from 'ioredis';
import type { Result } from '../results.ts';
import { runTask } from '../measure/tasks.ts';
import type { HeapInput } from './heap-task.ts';

/** The client's heap for each held lock, including its key. */
export async function measureHeap(url: string, control: Redis, leases: number): Promise<Result[]> {
  const results: Result[] = [];
  for (const subject of ['@locks', 'redis-semaphore']) {
    await control.flushall();
    const input: HeapInput = { url, subject, leases };
    const heapBytes = await runTask<number>(new URL('./heap-task.js', import.meta.url), input);
    results.push({ scenario: 'redis/heap', subject, leases, heapBytes });
  }
  await control.flushall();
  return results;
}
