import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';

const file = join(tmpdir(), 'locks-example-semaphore.db');
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`);

// For what is scarce: connections of a partner, licences, memory.
const slots = locks.semaphore('exports', 3);
const say = (text) => console.log(`${new Date().toISOString()} ${text}`);

async function exportFile(number) {
  await slots.withLock(async ({ signal }) => {
    say(`begins ${number}, ${await slots.availablePermits()} slots are free`);
    await sleep(500, undefined, { signal });
    say(`ends ${number}`);
  });
}

await Promise.all(Array.from({ length: 8 }, (_, index) => exportFile(index + 1)));
await locks.close();
