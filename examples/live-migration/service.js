import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks, subscribe } from '@locks/core';

subscribe('locks:migration', ({ event, effective, by }) => {
  if (event === 'changed') console.log(`locks in phase "${effective}"`);
  if (event === 'refused') console.log(`stays in both stores, because of ${by?.join(', ')}`);
});

// The code of the service does not know of the move: locks.config.json does.
const locks = await openLocks({ config: 'locks.config.json' });
let running = true;
process.once('SIGTERM', () => (running = false));

let updates = 0;
while (running) {
  await locks.withLock('counter', async () => {
    const count = existsSync('counter') ? Number(readFileSync('counter', 'utf8')) : 0;
    // Without a lock the other process would write in between, and its update would be lost.
    await sleep(5);
    writeFileSync('counter', String(count + 1));
    updates += 1;
  });
  await sleep(20);
}
await locks.close();
console.log(`made ${updates} updates`);
