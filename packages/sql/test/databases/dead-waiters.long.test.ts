import { eventually } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { startContender } from '../servers/contenders.ts';
import { inQueue } from '../servers/parties.ts';
import { databases, rowsOf, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

const sessionsThatListen = `SELECT count(*)::integer AS n FROM pg_locks
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** On MariaDB: the places whose process has a session, and those whose session lasts. */
const sessionsOfPlaces = `SELECT CAST(SUM(process LIKE '%+@%') AS CHAR) AS named,
  CAST(SUM(IS_USED_LOCK(CONCAT('locks_', process)) IS NOT NULL) AS CHAR) AS lasting FROM locks_queue`;

describe.each(databases)('on $name', (database) => {
  test.each([
    ['waits exclusively', {}],
    ['shares the key', { mode: 'shared' }],
    ['wants one of its permits', { mode: 'shared', permits: 2 }],
  ] as const)('the places of a killed process delay no next waiter that %s', async (_name, mode) => {
    const { url, knex } = await withTables(database);
    const { locks, provider } = locksOver(knex, {}, { ttl: 30_000 });
    const lease = await locks.acquire('job');
    const first = await startContender();
    first.contend({ url, key: 'job', workers: 3, rounds: 1, ttl: 30_000 }).catch(() => {});
    await inQueue(provider, 3);
    const second = locks.acquire('job', mode);
    await inQueue(provider, 4);
    const places = async (): Promise<Record<string, unknown> | undefined> =>
      (await rowsOf(knex.raw(sessionsOfPlaces)))[0];
    // A session that opens late is named at the next sign of life.
    if (database.name === 'MariaDB') await eventually('four sessions', async () => (await places())?.['named'] === '4');
    await first.kill();
    if (database.name === 'MariaDB') await eventually('one session', async () => (await places())?.['lasting'] === '1');
    // The server hears of the end of a session a moment later.
    if (database.name === 'Postgres') {
      await eventually('the end of its session', async () => {
        const [row] = await rowsOf(knex.raw(sessionsThatListen));
        return row?.['n'] === 1;
      });
    }
    const freedAt = performance.now();
    await lease.release();
    const next = await second;
    // Less than another waiter's pause between two signs of life.
    expect(performance.now() - freedAt).toBeLessThan(1_000);
    await next.release();
  });
});
