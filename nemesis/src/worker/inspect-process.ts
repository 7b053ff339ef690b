import { setTimeout as sleep } from 'node:timers/promises';
import { allKeys, keysOf } from './keys.ts';
import type { Target } from './messages.ts';
import { open } from './open.ts';

// Opens the locks without any fault between, once before a run and once after it, and looks until
// no key is held or waited for.
const [, , text = '{}', patience = '0'] = process.argv;
const target = JSON.parse(text) as Target;
const { locks, close } = await open(target);
const end = performance.now() + Number(patience);
const left: string[] = [];
for (const key of allKeys(keysOf(target))) {
  for (;;) {
    const { holders, waiters } = await locks.inspect(key);
    if (holders.length === 0 && waiters === 0) break;
    if (performance.now() > end) {
      left.push(
        `"${key}" still has ${holders.length} holders (${holders.map(({ owner }) => owner).join(', ')}) and ${waiters} waiters`,
      );
      break;
    }
    await sleep(100);
  }
}
await close();
process.stdout.write(JSON.stringify(left));
