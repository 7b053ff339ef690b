import { setTimeout as sleep } from 'node:timers/promises';
import { isLockError } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import type { Account } from './account.ts';
import { now } from './clock.ts';
import type { Hold, WorkEvent } from './events.ts';
import type { LineWatch } from './line-watch.ts';

/** What one worker has to do, wherever it runs. */
export interface Job {
  readonly worker: number;
  /** How many updates to make. */
  readonly updates: number;
  readonly account: Account;
  /** Without it the worker takes no lock. */
  readonly lock?: JobLock | undefined;
  /** After so many updates, hold the lock and never write: the worker is about to be killed. */
  readonly stopsAfter?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  report(event: WorkEvent): void;
}

/** The lock that a job's updates are made under. */
export interface JobLock {
  readonly locks: Locks;
  readonly key: string;
  readonly line: LineWatch;
}

const setbacksInARow = 5;

/** Adds 1 to the balance, `updates` times. */
export async function work(job: Job): Promise<void> {
  let made = 0;
  let setbacks = 0;
  while (made < job.updates) {
    const before = made;
    try {
      await (job.lock === undefined ? update() : updateUnder(job.lock));
    } catch (error) {
      if (!isLockError(error, 'LOCK_LOST') && !isLockError(error, 'LOCK_STALE')) throw error;
      // The write comes last, so an update that was reported is in the balance even if the lock was lost after it.
      if (made === before) job.report({ kind: 'retried', worker: job.worker, why: error.code });
      setbacks += 1;
      if (setbacks === setbacksInARow) throw error;
      continue;
    }
    setbacks = 0;
  }

  async function updateUnder({ locks, key, line }: JobLock): Promise<void> {
    const asked = now();
    await locks.withLock(
      key,
      async (lease) => {
        const inLine = line.take(lease.owner);
        const hold: Hold = { token: lease.token, asked, ...(inLine === undefined ? {} : { inLine }) };
        await update(lease, hold);
      },
      { signal: job.signal },
    );
  }

  /** The whole job: read, pause, write. With a lease, the account refuses it once a later holder has come. */
  async function update(lease?: Lease, hold?: Hold): Promise<void> {
    const turn = { worker: job.worker, from: now(), ...(hold === undefined ? {} : { hold }) };
    const balance = job.account.read(lease);
    if (made === job.stopsAfter) {
      job.report({ kind: 'holding', turn });
      await new Promise<never>(() => {});
    }
    await sleep(5 + Math.random() * 10, undefined, { signal: job.signal });
    job.account.write(balance + 1, lease);
    made += 1;
    job.report({ kind: 'updated', turn: { ...turn, until: now(), balance: balance + 1 } });
  }
}
