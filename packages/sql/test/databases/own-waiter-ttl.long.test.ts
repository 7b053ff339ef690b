import { eventually } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { queueUp } from '../servers/parties.ts';
import { databases, servers, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

/** The default of option `waiterTtl`. */
const waiterTtl = 6_000;

describe.each(databases)('on $name', (database) => {
  test('the first keeps its place though it is to look more seldom than a place of which others doubt lasts', async () => {
    const { knex } = await withTables(database);
    const [holder, ...waiters] = [{}, { pollInterval: 60_000, waiterTtl }, { waiterTtl: 150 }].map(
      (options) => locksOver(knex, { listen: false, ...options }, { ttl: 30_000 }).locks,
    );
    const lease = await holder!.acquire('job');
    const queue = await queueUp(waiters, 'job');
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1]);
  });
});

describe.each(servers)('on $name', (database) => {
  test('the first keeps its place for as long as its own `waiterTtl` says, though others have a shorter one', async () => {
    const { knex } = await withTables(database);
    const { provider: slow } = locksOver(knex, { waiterTtl: 60_000 });
    const { locks } = locksOver(knex, { waiterTtl: 150 }, { ttl: 30_000 });
    const lease = await locks.acquire('job');
    const first = { key: 'job', owner: 'slow/1', ttl: 30_000, mode: 'exclusive' } as const;
    expect(await slow.tryAcquire(first, () => {})).toMatchObject({ granted: false });
    const second = locks.acquire('job');
    const seen = async (): Promise<string> => {
      const rows: unknown = await knex('locks_queue').whereNot('owner', first.owner).select('seen');
      return JSON.stringify(rows);
    };
    await eventually('a second in the queue', async () => (await locks.inspect('job')).waiters === 2);
    await lease.release();
    for (let look = 0; look < 3; look += 1) {
      const before = await seen();
      await eventually('another look', async () => (await seen()) !== before);
    }
    expect(await slow.tryAcquire(first, () => {})).toMatchObject({ granted: true });
    await slow.release(first);
    await (await second).release();
  });
});
