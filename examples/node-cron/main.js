import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { schedule } from 'node-cron';

const file = join(tmpdir(), 'locks-example-cron.db');
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`);

async function sendReport() {
  console.log(`sends the report of ${new Date().toISOString()}`);
}

// Both lines name the same period. Every minute: '* * * * *' and { every: '1m' }.
const task = schedule('*/2 * * * * *', async () => {
  try {
    const { held } = await locks.once('report', { every: '2s' }, sendReport);
    if (!held) console.log('another replica has this round');
  } catch (error) {
    // This round may be left out; the next one comes.
    console.error(error);
  }
});
console.log('waits for the next round');

async function shutDown() {
  await task.destroy();
  await locks.close();
}
process.once('SIGTERM', () => void shutDown());
