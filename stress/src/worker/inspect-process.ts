import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import { loadFlawed } from '../flawed/load.ts';
import type { Target } from './messages.ts';
import { keys } from './plan.ts';

// Opens the locks without any fault between, once before a run and once after it, and looks until no key is held or waited for.
const [, , text = '{}', patience = '0'] = process.argv;
const { flawed, ...config } = JSON.parse(text) as Target;
const provider = await loadFlawed(flawed);
const locks = await openLocks({ ...config, provider });
const end = performance.now() + Number(patience);
const left: string[] = [];
for (const key of keys) {
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
await locks.close();
process.stdout.write(JSON.stringify(left));
