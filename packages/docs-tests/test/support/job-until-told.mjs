// Runs the job "report" until SIGTERM: node job-until-told.mjs <url> <slot> <drain> <how>, where
// the work "ends" soon after the signal, "obeys" it and fails, or "ignores" it.
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';

const [, , url, slot, drain, how] = process.argv;
const locks = await openLocks(url, { label: 'pod', drain });
process.once('SIGTERM', () => void locks.close().then(() => process.exit(0)));

async function work({ signal }) {
  console.log('at work');
  if (how === 'obeys') await sleep(600_000, undefined, { signal });
  if (how === 'ignores') await sleep(600_000);
  await new Promise((told) => signal.addEventListener('abort', told));
  await sleep(200);
}

try {
  await locks.once('report', new Date(slot), { ttl: '1s' }, work);
} catch (error) {
  console.log(error);
}
