import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { ttl } from './crew.ts';
import { openFileAccount } from './file-account.ts';
import { messageOf } from './failure.ts';
import { watchLine } from './line-watch.ts';
import { work } from './work.ts';
import type { Assignment, Order, Report } from './worker-messages.ts';

let assignment: Assignment | undefined;
let locks: Locks | undefined;

// The demo ends its workers; a Ctrl-C reaches them too, and would look like their own death.
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => report({ kind: 'failed', message: messageOf(error) }));
});

async function obey(order: Order): Promise<void> {
  if (order.kind === 'prepare') {
    assignment = order.assignment;
    const { lock, worker } = assignment;
    if (lock !== undefined) {
      locks = await openLocks(lock.url, { ttl, label: `worker-${worker}` });
      await warmUp(locks, `${lock.key}/warm-up/${worker}`);
    }
    report({ kind: 'ready' });
  } else if (assignment !== undefined) {
    const { file, lock, ...job } = assignment;
    await work({
      ...job,
      account: openFileAccount(file),
      lock: lock && locks && { locks, key: lock.key, line: watchLine() },
      report,
    });
    await locks?.close();
    report({ kind: 'finished' });
  }
}

/** Waits once for a lock of its own: a provider may connect what wakes waiters only then, and takes its place in line late. */
async function warmUp(warm: Locks, key: string): Promise<void> {
  const first = await warm.acquire(key);
  const second = warm.acquire(key).then((lease) => lease.release());
  await Promise.all([first.release(), second]);
}

function report(message: Report): void {
  // A demo that is gone is noticed by 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}
