import { Cron } from 'croner';
import { fireTime } from './fire-time.js';
import { expression, locks, report, timeZone } from './reports.js';

const options = { timezone: timeZone, catch: (error) => console.error(error) };
const job = new Cron(expression, options, () => report(fireTime(expression, timeZone)));
console.log('waits for the next round');

async function shutDown() {
  job.stop();
  await locks.close();
}
process.once('SIGTERM', () => void shutDown());
