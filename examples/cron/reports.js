import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';

/** Every five seconds. */
export const expression = '*/5 * * * * *';
export const timeZone = 'Europe/Berlin';

const file = join(tmpdir(), 'locks-example-cron.db');
export const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`, { drain: '5s' });

/** Each second report fails. */
export async function send(slot) {
  console.log(`sends ${slot.toISOString()}`);
  await sleep(1_500);
  if (slot.getSeconds() % 10 === 0) throw new Error('no paper');
}

/** Each replica calls it in each round, with the time that the schedule names. */
export async function report(slot) {
  const options = { ttl: '2s', wait: '4s', next: '5s' };
  const { state, job } = await locks.once('report', slot, options, () => send(slot));
  if (state !== 'ran') console.log(`${state} ${slot.toISOString()}, by ${job?.by}`);
}
