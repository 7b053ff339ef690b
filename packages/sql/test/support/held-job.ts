import { createLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { createSqlProvider, migrateTables } from '../../src/index.ts';
import { connect } from './databases.ts';
import type { Database } from './databases.ts';

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
  const url = await database.create();
  const knex = connect(url, database.name === 'SQLite' ? {} : { pool: { min: 0, max: 4 } });
  await migrateTables(knex);
  const provider = createSqlProvider(knex);
  const locks = createLocks(provider, { ttl: 30_000 });
  onTestFinished(async () => {
    await locks.close();
    await provider.close();
  });
  const lease = await locks.acquire('job');
  const waiters = (count: number): Promise<unknown> =>
    eventually(`${count} in the queue`, async () => (await locks.inspect('job')).waiters === count);
  return { url, knex, locks, lease, waiters };
}
