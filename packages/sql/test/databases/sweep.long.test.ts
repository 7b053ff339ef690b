import { eventually } from '@locks/test-servers';
import type { LockProvider } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { migrateTables, sweep } from '../../src/index.ts';
import { rowsOf, servers, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import type { Party } from '../support/locks-over.ts';

const hour = 3_600_000;

async function setUp(database: Database): Promise<Party & { readonly knex: Knex }> {
  const { knex } = await withTables(database);
  return { knex, ...locksOver(knex, { sweep: false }, { ttl: 60_000 }) };
}

/** The keys that have a row. */
async function keysOf(knex: Knex): Promise<readonly string[]> {
  const rows = await rowsOf(knex('locks').select('key'));
  return rows.map(({ key }) => String(key)).toSorted();
}

/** Makes the rows of `keys` as old as if they had been minted two hours ago. */
async function age(knex: Knex, keys: readonly string[]): Promise<void> {
  const values = keys.map((key) => Buffer.from(key));
  await knex('locks')
    .whereIn('key', values)
    .update({ version: knex.raw('version - ?', [2 * hour * 1_000]) });
}

const claim = (key: string, owner: string): Parameters<LockProvider['tryAcquire']>[0] => ({
  key,
  owner,
  ttl: 60_000,
  mode: 'exclusive',
});

describe.each(servers)('on $name', (database) => {
  test('rows of idle keys go; those that are held, shared, waited for or recent stay', async () => {
    const { knex, locks } = await setUp(database);
    for (const key of ['idle', 'recent', 'waited']) await (await locks.acquire(key)).release();
    await locks.acquire('held');
    await locks.acquire('shared', { mode: 'shared' });
    const holder = await locks.acquire('waited');
    const waiting = locks.acquire('waited');
    await eventually('a waiter', async () => (await locks.inspect('waited')).waiters === 1);
    await age(knex, ['idle', 'held', 'shared', 'waited']);
    expect(await sweep(knex)).toBe(1);
    expect(await keysOf(knex)).toEqual(['held', 'recent', 'shared', 'waited']);
    expect(await sweep(knex)).toBe(0);
    await holder.release();
    await (await waiting).release();
  });

  test('tokens never go back', async () => {
    const { knex, provider } = await setUp(database);
    const take = async (owner: string, floor = 0n): Promise<bigint> => {
      const grant = await provider.tryAcquire({ ...claim('job', owner), floor });
      if (!grant.granted) throw new Error('It is held.');
      await provider.release(claim('job', owner));
      return grant.token;
    };
    const first = await take('a/1');
    await age(knex, ['job']);
    expect(await sweep(knex)).toBe(1);
    const second = await take('a/2');
    expect(second).toBeGreaterThan(first);
    // Ahead of the clock, so that no clock could tell the next one.
    const floor = second + BigInt(24 * hour) * 1_000n;
    const third = await take('a/3', floor);
    expect(third).toBeGreaterThan(floor);
    expect(await sweep(knex, { tokenRetention: 1_000 })).toBe(0);
    expect(await take('a/4')).toBeGreaterThan(third);
  });

  test('many rows go in batches, also when two sweep at once', async () => {
    const { knex } = await setUp(database);
    const rows = Array.from({ length: 1_203 }, (_, index) => ({
      key: Buffer.from(`key-${index}`),
      version: 1,
    }));
    await knex.batchInsert('locks', rows, 200);
    const counts = await Promise.all([sweep(knex), sweep(knex)]);
    const rest = await sweep(knex);
    expect(counts.reduce((sum, count) => sum + count, rest)).toBe(1_203);
    expect(await keysOf(knex)).toEqual([]);
  });

  test('old rows behind many younger ones go', async () => {
    const { knex } = await setUp(database);
    const key = (name: string): unknown => Buffer.from(name);
    const young = Date.now() * 1_000;
    const rows = Array.from({ length: 12_000 }, (_, index) => ({ key: key(`a-${index}`), version: young }));
    const old = Array.from({ length: 1_100 }, (_, index) => ({ key: key(`b-${index}`), version: 1 }));
    await knex.batchInsert('locks', [...rows, ...old], 250);
    expect(await sweep(knex)).toBe(1_100);
    expect((await keysOf(knex)).length).toBe(12_000);
  });

  test('has tables of a configured name, and says when there are none', async () => {
    const { knex } = await setUp(database);
    await migrateTables(knex, { table: 'billing' });
    expect(await sweep(knex, { table: 'billing' })).toBe(0);
    await expect(sweep(knex, { table: 'nobodys' })).rejects.toMatchObject(misconfigured('"nobodys_layout" is missing'));
    await expect(sweep(knex, { tokenRetention: 5 })).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  });
});
