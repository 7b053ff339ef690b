import { startChild } from '@locks/conformance/processes';
import type { Locks } from '@locks/core';
import { openAccount } from './account.ts';
import type { Request } from './worker.ts';

/**
 * One run of the demo: `updates` are those of each worker, `file` has the balance, `signal` kills
 * the workers.
 */
export interface Plan {
  readonly url: string;
  readonly ttl: number;
  readonly workers: number;
  readonly updates: number;
  readonly file: string;
  readonly signal: AbortSignal;
}

/** What came of a run. */
export interface Outcome {
  /** What the balance should be. */
  readonly made: number;
  readonly balance: number;
  /**
   * The worker that was killed while it held the lock, and after how many ms the next one had it.
   */
  readonly killed?: { readonly token: bigint; readonly freeAfter: number } | undefined;
}

/**
 * Lets processes change one balance. With a lock, the first of several is killed while it holds.
 */
export async function run(plan: Plan, lock?: { readonly locks: Locks; readonly key: string }): Promise<Outcome> {
  const { url, ttl, workers, updates, file, signal } = plan;
  signal.throwIfAborted();
  const account = openAccount(file);
  const crew = Array.from({ length: workers }, (_, index) =>
    startChild<Request>(new URL('./worker.js', import.meta.url), { name: `Worker ${index + 1}` }),
  );
  const stop = (): unknown => Promise.all(crew.map((worker) => worker.kill()));
  signal.addEventListener('abort', stop);
  try {
    await Promise.all(crew.map((worker) => worker.ask({ kind: 'open', url, ttl })));
    const victim = workers === 1 || lock === undefined ? undefined : crew[0];
    const shares = crew.map((worker) => (worker === victim ? Math.floor(updates / 2) : updates));
    const work = crew.map((worker, index) =>
      worker.ask({ kind: 'work', file, updates: shares[index] ?? 0, key: lock?.key }),
    );
    let killed: Outcome['killed'];
    if (victim !== undefined && lock !== undefined) {
      await work[0];
      const token = (await victim.ask({ kind: 'hold', key: lock.key })) as bigint;
      const killedAt = performance.now();
      await victim.kill();
      killed = await lock.locks.withLock(lock.key, (lease) => {
        // A later holder writes, as the workers do, so that the token of the dead one is old.
        account.write(account.read(), lease.token);
        return { token, freeAfter: performance.now() - killedAt };
      });
    }
    await Promise.all(work);
    return { made: shares.reduce((sum, share) => sum + share), balance: account.read(), killed };
  } finally {
    signal.removeEventListener('abort', stop);
    await stop();
  }
}
