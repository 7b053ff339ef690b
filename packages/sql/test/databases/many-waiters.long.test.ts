import { isLockError, openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';

interface Parties {
  readonly here: Locks;
  /** Of another process, on the key that all wait for. */
  readonly held: Lease;
}

async function partiesOn(database: Database): Promise<Parties> {
  const url = await database.create();
  await migrateTables(connect(url));
  const [here, there] = [await openLocks(url), await openLocks(url)];
  const held = await there.acquire('job', { ttl: 120_000 });
  onTestFinished(async () => {
    await held.release();
    await Promise.all([here.close(), there.close()]);
  });
  return { here, held };
}

/** What `count` calls of one process hear that wait so many ms for the key, and how often. */
async function heard(locks: Locks, count: number, wait: number): Promise<Readonly<Record<string, number>>> {
  const codes: Record<string, number> = {};
  const waits = Array.from({ length: count }, async () => {
    const error: unknown = await locks.acquire('job', { wait }).catch((reason: unknown) => reason);
    const code = isLockError(error) ? error.code : 'granted';
    codes[code] = (codes[code] ?? 0) + 1;
  });
  await Promise.all(waits);
  return codes;
}

describe.each(databases)('on $name', { timeout: 120_000 }, (database) => {
  test('400 waiters of one process whose wait ends hear of contention', async () => {
    const { here } = await partiesOn(database);
    expect(await heard(here, 400, 3_000)).toEqual({ LOCK_TIMEOUT: 400 });
  });
});
