import { eventually } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrate } from '../../src/index.ts';
import { startContender } from '../servers/contenders.ts';
import { connect, databases } from '../support/databases.ts';

/** Those that know of the end of a process. */
const knowing = databases.filter(({ name }) => name !== 'MariaDB');

describe.each(knowing)('on $name', (database) => {
  test.each([
    ['waits exclusively', {}],
    ['shares the key', { mode: 'shared' }],
    ['wants one of its permits', { mode: 'shared', permits: 2 }],
  ] as const)('the places of a killed process delay no next waiter that %s', async (_name, mode) => {
    const url = await database.create();
    const knex = connect(url, database.name !== 'MariaDB' ? {} : { pool: { min: 0, max: 4 } });
    await migrate(knex);
    const provider = createSqlProvider(knex);
    const locks = createLocks(provider, { ttl: 30_000 });
    onTestFinished(async () => {
      await locks.close();
      await provider.close();
    });
    const lease = await locks.acquire('job');
    const waiters = (count: number): Promise<unknown> =>
      eventually(`${count} in line`, async () => (await locks.inspect('job')).waiters === count);
    const first = await startContender();
    first.contend({ url, key: 'job', workers: 3, rounds: 1, ttl: 30_000 }).catch(() => {});
    await waiters(3);
    const second = locks.acquire('job', mode);
    await waiters(4);
    await first.kill();
    const freedAt = performance.now();
    await lease.release();
    const next = await second;
    // The pause of a waiter, where the server has not noticed the death at the release.
    expect(performance.now() - freedAt).toBeLessThan(3_000);
    await next.release();
  });
});
