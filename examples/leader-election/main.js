import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';

const file = join(tmpdir(), 'locks-example-leader.db');
// The ttl is how long a leader that died delays the next one.
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`, { ttl: '3s' });

const election = locks.elect('price-feed', async ({ token, signal }) => {
  console.log(`leads, with token ${token}`);
  while (!signal.aborted) {
    console.log('reads the prices');
    // It rejects when the term ends.
    await sleep(1_000, undefined, { signal }).catch(() => {});
  }
  console.log('leads no more');
});
console.log('stands for election');

async function shutDown() {
  // The next in the queue leads as soon as the loop has ended.
  await election.stop();
  await locks.close();
}
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => void shutDown());
