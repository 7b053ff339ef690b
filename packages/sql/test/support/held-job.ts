import type { Lease, Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import type { Knex } from 'knex';
import { withTables } from './databases.ts';
import type { Database } from './databases.ts';
import { locksOver } from './locks-over.ts';

/** The key "job", held on a database of its own. */
export interface HeldJob {
  readonly url: string;
  readonly knex: Knex;
  readonly locks: Locks;
  readonly lease: Lease;
  /** Waits until so many are in the queue. */
  waiters(count: number): Promise<unknown>;
}

export async function holdJob(database: Database): Promise<HeldJob> {
  const { url, knex } = await withTables(database);
  const { locks } = locksOver(knex, {}, { ttl: 30_000 });
  const lease = await locks.acquire('job');
  const waiters = (count: number): Promise<unknown> =>
    eventually(`${count} in the queue`, async () => (await locks.inspect('job')).waiters === count);
  return { url, knex, locks, lease, waiters };
}
