// Runs the job "report" until SIGTERM: node job-until-told.mjs <url> <slot> <drain> <how>, where
// the work "obeys" the signal and fails, or "ignores" it.
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';

const [, , url, slot, drain, how] = process.argv;
const locks = await openLocks(url, { label: 'pod', drain });
process.once('SIGTERM', () => void locks.close().then(() => process.exit(0)));

async function work({ signal }) {
  console.log('at work');
  await sleep(600_000, undefined, how === 'obeys' ? { signal } : {});
}

try {
  await locks.once('report', new Date(slot), { ttl: '1s' }, work);
} catch (error) {
  console.log(error);
}
