import { eventually } from '@locks/test-servers';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import { join, queueUp } from '../servers/parties.ts';
import { servers } from '../support/databases.ts';

const hour = 3_600_000;

/** Leaves in the tables what a clock leaves that was ahead by `ms` until now. */
async function stepBack(knex: Knex, ms: number): Promise<void> {
  const isPostgres = (knex.client as { readonly driverName: string }).driverName === 'pg';
  const later = (column: string): Knex.Raw =>
    isPostgres ? knex.raw(`?? + interval '1 millisecond' * ${ms}`, [column]) : knex.raw(`?? + ${ms * 1_000}`, [column]);
  const columns = {
    locks: ['held_until', 'queue_until', 'next_lapse', 'queue_seen', ...(isPostgres ? [] : ['head_until'])],
    locks_queue: ['seen', 'deadline'],
  };
  for (const [table, names] of Object.entries(columns)) {
    await knex(table).update(Object.fromEntries(names.map((name) => [name, later(name)])));
  }
  await knex('locks').update({ version: knex.raw(`version + ${ms * 1_000}`) });
}

// SQLite counts the host's monotonic clock, which no program can step, and has a watermark. See
// test/sqlite/clock.test.ts.
describe.each(servers)('on $name, after a step back of the clock', (database) => {
  test('a dead waiter keeps a free key no longer than its place lasts, however long that is for others', async () => {
    const url = await database.create();
    const [dead, alive] = [join(url, { waiterTtl: 1_500 }), join(url, { waiterTtl: 60_000 })];
    await migrateTables(dead.knex);
    const lease = await alive.locks.acquire('job');
    const claim = { key: 'job', owner: 'dead/1', ttl: 5_000, mode: 'exclusive' } as const;
    expect(await dead.provider.tryAcquire(claim, () => {})).toMatchObject({ granted: false });
    await lease.release();
    await stepBack(dead.knex, hour);
    const steppedAt = performance.now();
    expect(await alive.locks.tryAcquire('job')).toBeNull();
    const next = await eventually('the key', () => alive.locks.tryAcquire('job').then((got) => got ?? undefined));
    expect(performance.now() - steppedAt).toBeLessThan(4_000);
    await next.release();
  });

  test('those who wait keep their order, and get the key', async () => {
    const url = await database.create();
    const party = join(url);
    await migrateTables(party.knex);
    const lease = await party.locks.acquire('job');
    const queue = await queueUp([join(url).locks, join(url).locks, join(url).locks], 'job');
    await stepBack(party.knex, hour);
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1, 2]);
  });

  test.each(['exclusive', 'shared'] as const)('tokens of a swept key go on: an %s one', async (mode) => {
    const url = await database.create();
    const party = join(url, { sweep: false });
    await migrateTables(party.knex);
    await (await party.locks.acquire('job')).release();
    await (await party.locks.acquire('other')).release();
    await stepBack(party.knex, 3 * hour);
    const last = (await party.knex('locks').max('version as version').first()) as { readonly version: string | number };
    // By a clock that was ahead still.
    await party.knex.raw(
      database.name === 'Postgres'
        ? `SELECT locks_sweep(${-4 * hour}, 100)`
        : `CALL locks_sweep(${-4 * hour * 1_000}, 100, '', NULL)`,
    );
    expect(await party.knex('locks').select()).toEqual([]);
    const lease = await party.locks.acquire('job', { mode });
    expect(lease.token).toBeGreaterThan(BigInt(last.version));
    await lease.release();
  });
});
