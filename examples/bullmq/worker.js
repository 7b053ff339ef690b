import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import { DelayedError, Worker } from 'bullmq';

const url = process.env.REDIS_URL || 'redis://localhost:6379';
const locks = await openLocks(process.env.LOCKS_URL || url, { drain: '10s' });

/** How long a job stays away that found its customer busy, in ms. */
const pause = 200;

const say = (text) => console.log(`${new Date().toISOString()} ${text}`);

async function work({ id, data }, signal) {
  say(`begins ${data.customer} ${id}`);
  await sleep(300, undefined, { signal });
  say(`ends ${data.customer} ${id}`);
}

const worker = new Worker(
  'invoices',
  async (job, token) => {
    // It does not wait: a job that waits takes the place of a job for another customer.
    const { held } = await locks.tryWithLock(`customer/${job.data.customer}`, ({ signal }) => work(job, signal));
    if (held) return;
    await job.moveToDelayed(Date.now() + pause, token);
    throw new DelayedError();
  },
  { connection: { url }, concurrency: 4 },
);
worker.on('error', (error) => console.error(error));
worker.on('failed', (job, error) => console.error(`job ${job?.id} failed:`, error));
await worker.waitUntilReady();
console.log('waits for jobs');

async function shutDown() {
  // It waits for the jobs that run. They hold their locks until they end.
  await worker.close();
  await locks.close();
}
process.once('SIGTERM', () => void shutDown());
