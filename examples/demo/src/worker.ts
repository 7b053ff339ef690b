import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '@locks/conformance/processes';
import { isLockError, openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { openAccount } from './account.ts';

/** What the demo asks a worker process for. */
export type Request =
  | { readonly kind: 'open'; readonly url: string; readonly ttl: number }
  /** Adds 1 to the balance in `file`, so many times; with a key each time under its lock. */
  | { readonly kind: 'work'; readonly file: string; readonly updates: number; readonly key?: string | undefined }
  /** Takes the lock and keeps it. Resolves to the token. */
  | { readonly kind: 'hold'; readonly key: string }
  | { readonly kind: 'close' };

let locks: Locks | undefined;
// Ctrl-C reaches the workers too: the demo ends them.
process.on('SIGINT', () => {});
serveParent(async (request: Request) => {
  if (request.kind === 'open') {
    locks = await openLocks(request.url, { ttl: request.ttl });
    return undefined;
  }
  if (locks === undefined) throw new Error(`"${request.kind}" came before "open".`);
  if (request.kind === 'work') return await work(locks, request);
  if (request.kind === 'hold') return (await locks.acquire(request.key)).token;
  return await locks.close();
});

async function work(open: Locks, { file, updates, key }: Extract<Request, { kind: 'work' }>): Promise<void> {
  const account = openAccount(file);
  let made = 0;
  while (made < updates) {
    try {
      await (key === undefined ? update() : open.withLock(key, update));
    } catch (error) {
      // A machine that stalls for a whole ttl loses the lock. Then the update is tried again.
      if (!isLockError(error, 'LOCK_LOST') && !isLockError(error, 'LOCK_STALE')) throw error;
    }
  }

  async function update(lease?: Lease): Promise<void> {
    const balance = account.read();
    await sleep(5 + Math.random() * 10);
    account.write(balance + 1, lease?.token);
    made += 1;
  }
}
