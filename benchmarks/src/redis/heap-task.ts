import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { Mutex } from 'redis-semaphore';
import { heapPerItem } from '../measure/heap.ts';
import { serveTask } from '../measure/tasks.ts';
import { connect } from './counting-client.ts';

export interface HeapInput {
  readonly url: string;
  readonly subject: string;
  readonly leases: number;
}

serveTask(async ({ url, subject, leases }: HeapInput): Promise<number> => {
  const { client } = await connect(url);
  const locks = createLocks(createRedisProvider(client));
  const acquire = async (key: string): Promise<unknown> => {
    if (subject === '@locks') return await locks.acquire(key);
    const mutex = new Mutex(client, key);
    await mutex.acquire();
    return mutex;
  };
  // What the first ones leave permanently is not counted per lease.
  for (let index = 0; index < 1_000; index += 1) {
    const held = (await acquire(`warm-up/${index}`)) as { release(): Promise<unknown> };
    await held.release();
  }
  return await heapPerItem(leases, async (items) => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < leases) {
        const index = next++;
        items[index] = await acquire(`held/${index}`);
      }
    };
    await Promise.all(Array.from({ length: 64 }, worker));
  });
});
