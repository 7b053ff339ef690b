import { setTimeout as delay } from 'node:timers/promises';
import { createLocks, isLockError } from '@locks/core';
import type { Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { eventually } from '@locks/test-servers';
import { expect } from 'vitest';
import { expectFree } from './parties.ts';
import type { Parties, Party } from './parties.ts';

const processes = 3;
const workers = 4;
const failovers = 4;
/** How long waiters are served again after a failover, at most, in ms. */
const recovery = 20_000;

/** A failover, as processes see it. */
interface Failover {
  /** From now on the server takes no changes. */
  begin(): Promise<void>;
  /** It takes changes again. */
  end(): Promise<void>;
}

/** Processes contend for one key while the server takes no changes for a while, again and again. */
export async function outlivesFailovers({ join }: Parties, url: string, { begin, end }: Failover): Promise<void> {
  const history = createHistory(() => performance.now());
  const served = Array.from({ length: processes * workers }, () => 0);
  const unexpected: unknown[] = [];
  let over = false;
  const work = async (locks: Locks, process: string, worker: number): Promise<void> => {
    while (!over) {
      try {
        const lease = await locks.acquire('job');
        history.granted(process, lease);
        served[worker] = (served[worker] ?? 0) + 1;
        await history.release(lease);
      } catch (error) {
        if (isLockError(error, 'LOCK_CLOSED')) return;
        if (!isLockError(error, 'LOCK_UNAVAILABLE')) unexpected.push(error);
        await delay(20);
      }
    }
  };
  const parties = Array.from({ length: processes }, () => join(url, { defaults: { ttl: 3_000 } }));
  const all = parties.flatMap(({ provider, locks }, process) =>
    Array.from({ length: workers }, (_, index) =>
      // Half of them have an instance of their own over the provider that all of the process share.
      work(index % 2 === 0 ? locks : createLocks(provider, { ttl: 3_000 }), `${process}`, process * workers + index),
    ),
  );
  const allServed = async (): Promise<void> => {
    const before = [...served];
    await eventually(
      'all are served',
      () => served.every((count, worker) => count > (before[worker] ?? 0) + 1),
      recovery,
    );
  };
  const [party] = parties as [Party];
  const isRefused = async (probe: number): Promise<boolean> => {
    const claim = { key: `probe/${probe}`, owner: 'probe', ttl: 1_000, mode: 'exclusive' } as const;
    return await party.provider.tryAcquire(claim).then(
      () => false,
      (error: unknown) => isLockError(error, 'LOCK_UNAVAILABLE'),
    );
  };
  await allServed();
  for (let failover = 0; failover < failovers; failover += 1) {
    await begin();
    await eventually('a call that is refused', () => isRefused(failover), recovery);
    // Most waiters repeat their claims meanwhile.
    await delay(1_000 * failover);
    await end();
    await allServed();
  }
  over = true;
  await Promise.all(all);
  expect(unexpected.map(String)).toEqual([]);
  expect(checkHistory(history.events)).toEqual([]);
  await expectFree(party, 'job');
}
