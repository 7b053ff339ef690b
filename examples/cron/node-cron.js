import { schedule } from 'node-cron';
import { expression, locks, report, timeZone } from './reports.js';

// A report that failed is recorded, and its error is logged by node-cron.
const task = schedule(expression, ({ date }) => report(date), { timezone: timeZone });
console.log('waits for the next round');

async function shutDown() {
  await task.destroy();
  await locks.close();
}
process.once('SIGTERM', () => void shutDown());
