import { schedule } from 'node-cron';
import { expression, locks, send, timeZone } from './reports.js';

/** Lets node-cron ask which process runs a round. It does not say whether the run failed. */
function coordinate(options) {
  const ends = new Map();
  return {
    async shouldRun(round) {
      const [, name, time] = /^(.*):(\d{4}-.*)$/.exec(round);
      return await new Promise((resolve, reject) => {
        const work = () => {
          resolve(true);
          return new Promise((end) => ends.set(round, end));
        };
        locks.once(name, new Date(time), options, work).then(() => resolve(false), reject);
      });
    },
    onComplete(round) {
      ends.get(round)?.();
      ends.delete(round);
    },
  };
}

const runCoordinator = coordinate({ ttl: '2s', next: '5s' });
const options = { name: 'report', timezone: timeZone, distributed: true, runCoordinator };
const task = schedule(expression, ({ date }) => send(date), options);
console.log('waits for the next round');

async function shutDown() {
  await task.destroy();
  await locks.close();
}
process.once('SIGTERM', () => void shutDown());
