import { openLocks } from '@locks/core';
import { backendOf } from './backend.ts';
import { ttl } from './crew.ts';
import type { Crew } from './crew.ts';
import type { WorkEvent } from './events.ts';
import { watchLine } from './line-watch.ts';
import { createMemoryAccount } from './memory-account.ts';
import { work } from './work.ts';

/** Workers that are tasks of this process; they share one `Locks`. */
export async function openTasks(url: string, signal: AbortSignal): Promise<Crew> {
  const locks = await openLocks(url, { ttl });
  const { name, end } = backendOf(url);
  const line = watchLine();
  return {
    workerKind: 'a task in this process',
    lockPlace: name,
    lockEnd: end,
    mortal: false,
    async run({ locked, workers, updates }, observe) {
      const account = createMemoryAccount();
      const lock = locked ? { locks, key: 'balance', line } : undefined;
      const report = (event: WorkEvent): void => {
        // There is no victim here that could hold for ever.
        if (event.kind !== 'holding') observe(event);
      };
      const workerNumbers = Array.from({ length: workers }, (_, index) => index + 1);
      await Promise.all(workerNumbers.map((worker) => work({ worker, updates, account, lock, signal, report })));
      return account;
    },
    async close() {
      line.stop();
      await locks.close();
    },
  };
}
