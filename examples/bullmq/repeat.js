import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import { Queue, Worker } from 'bullmq';

const url = process.env.REDIS_URL || 'redis://localhost:6379';
const connection = { url };
const locks = await openLocks(process.env.LOCKS_URL || url, { drain: '10s' });

async function send(slot) {
  console.log(`sends ${slot.toISOString()}`);
  await sleep(1_500);
}

// Each replica may say so: BullMQ keeps one scheduler of a name, and makes one job of each round.
const queue = new Queue('reports', { connection });
await queue.upsertJobScheduler('report', { pattern: '*/5 * * * * *', tz: 'Europe/Berlin' });

const worker = new Worker(
  'reports',
  async (job) => {
    const slot = new Date(job.opts.prevMillis);
    // Without `once` a report whose worker died or stood still is sent again.
    const { state } = await locks.once('report', slot, { ttl: '2s', wait: '4s' }, () => send(slot));
    if (state !== 'ran') console.log(`${state} ${slot.toISOString()}`);
  },
  { connection, lockDuration: 4_000, stalledInterval: 2_000 },
);
worker.on('error', (error) => console.error(error));
worker.on('failed', (job, error) => console.error(`job ${job?.id} failed:`, error));
await worker.waitUntilReady();
console.log('waits for the next round');

async function shutDown() {
  await worker.close();
  await queue.close();
  await locks.close();
}
process.once('SIGTERM', () => void shutDown());
