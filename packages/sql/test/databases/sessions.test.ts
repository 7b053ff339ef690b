import { eventually } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { queueUp } from '../servers/parties.ts';
import { connect, rowsOf, servers, withTables } from '../support/databases.ts';
import { endSessionOfFirst, sessionOfFirst } from '../support/session-of-first.ts';
import { locksOver } from '../support/locks-over.ts';
import { createUser, grantsIn } from '../support/users.ts';

test.each(servers)(
  'on $name a waiter keeps its place though its session was ended, and has another one soon',
  async (database) => {
    const { url, knex } = await withTables(database);
    const [holder, ...waiters] = Array.from({ length: 3 }, () => locksOver(connect(url)).locks);
    const lease = await holder!.acquire('job', { ttl: 60_000 });
    const queue = await queueUp(waiters, 'job');
    // A place that has no session yet gets it with the next sign of life.
    await eventually('a session', () => sessionOfFirst(database, knex));
    const ended = await endSessionOfFirst(database, knex);
    await eventually('another session', async () => ![0, ended].includes(await sessionOfFirst(database, knex)));
    await lease.release();
    await queue.all;
    expect(queue.order).toEqual([0, 1]);
  },
);

const alive = {
  Postgres: 'SELECT 1 FROM pg_stat_activity WHERE pid = ?',
  MariaDB: 'SELECT 1 FROM information_schema.processlist WHERE id = ?',
  SQLite: '',
};

describe.each(servers)('on $name', (database) => {
  test('a process has one session for all that wait in it, from the first of them until it is closed', async () => {
    const { url, knex } = await withTables(database);
    const [holder, waiter] = [locksOver(connect(url)), locksOver(connect(url))];
    const leases = [await holder.locks.acquire('job'), await holder.locks.acquire('other')];
    const waits = leases.map(({ key }) => waiter.locks.withLock(key, () => {}));
    const places = async (): Promise<readonly string[]> =>
      (await rowsOf(knex.raw('SELECT process FROM locks_queue'))).map(({ process }) => String(process));
    await eventually('places that name a session', async () => {
      const names = await places();
      return names.length === 2 && names.every((name) => name.includes('+'));
    });
    expect(new Set(await places()).size).toBe(1);
    const session = await sessionOfFirst(database, knex);
    expect(await rowsOf(knex.raw(alive[database.name], [session]))).toHaveLength(1);
    for (const lease of leases) await lease.release();
    await Promise.all(waits);
    await waiter.locks.close();
    await waiter.provider.close();
    await eventually('its end', async () => (await rowsOf(knex.raw(alive[database.name], [session]))).length === 0);
  });

  test.each(['with `listen: false`', 'that may have one connection'])(
    'a process %s waits without a session, and finds its turns',
    async (how) => {
      const { url, knex } = await withTables(database);
      const { user, url: own } = await createUser(database, knex, url);
      for (const grant of await grantsIn(database, 'grants.sql', user)) await knex.raw(grant);
      const single = how.includes('one');
      const limit =
        database.name === 'Postgres' ? `ROLE ${user} CONNECTION LIMIT` : `USER ${user} WITH MAX_USER_CONNECTIONS`;
      if (single) await knex.raw(`ALTER ${limit} 1`);
      const { locks } = locksOver(connect(own, { pool: { min: 0, max: 1 } }), single ? {} : { listen: false });
      const lease = await locksOver(knex).locks.acquire('job', { ttl: 60_000 });
      const queue = await queueUp([locks, locks, locks], 'job');
      expect(await sessionOfFirst(database, knex)).toBe(0);
      await lease.release();
      await queue.all;
      expect(queue.order).toEqual([0, 1, 2]);
    },
  );
});
