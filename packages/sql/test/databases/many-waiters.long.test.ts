import { setTimeout } from 'node:timers/promises';
import { eventually } from '@locks/test-servers';
import { isLockError, openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';

/** More than 2 000 claims of one key are busy outside the queue where the key is a text. */
const manyOf = ({ name }: Database): number => (name === 'SQLite' ? 1_900 : 2_500);

interface Parties {
  readonly here: Locks;
  /** Of another process, on the key that all wait for. */
  readonly held: Lease;
}

async function partiesOn(database: Database): Promise<Parties> {
  const { url } = await withTables(database);
  const [here, there] = [await openLocks(url), await openLocks(url)];
  const held = await there.acquire('job', { ttl: 120_000 });
  onTestFinished(async () => {
    await held.release();
    await Promise.all([here.close(), there.close()]);
  });
  return { here, held };
}

const codeOf = (reason: unknown): unknown => (isLockError(reason) ? reason.code : reason);

/** The results of `count` calls of one process that wait for the key, and how often each. */
async function heard(locks: Locks, count: number, wait: number): Promise<Readonly<Record<string, number>>> {
  const codes: Record<string, number> = {};
  const waits = Array.from({ length: count }, async () => {
    const code = String(await locks.acquire('job', { wait }).catch(codeOf));
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

  test('thousands of waiters of one process get places and keep them, and its lease of another key lasts', async () => {
    const many = manyOf(database);
    const { here } = await partiesOn(database);
    const other = await here.acquire('other', { ttl: 8_000 });
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const waits = Array.from({ length: many }, () => here.acquire('job', { wait: Infinity, signal }).catch(codeOf));
    const waiters = async (): Promise<number> => (await here.inspect('job')).waiters ?? 0;
    await eventually('a place for each', async () => (await waiters()) === many);
    // As long as places last, and longer.
    for (let look = 0; look < 8; look += 1) {
      await setTimeout(1_000);
      expect(await waiters()).toBe(many);
    }
    giveUp.abort('given up');
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['given up']));
    await eventually('an empty queue', async () => (await waiters()) === 0);
    expect(other.signal.aborted).toBe(false);
  });
});
