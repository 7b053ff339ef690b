import { createLocks } from '@locks/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrate } from '../../src/index.ts';
import { startContender } from '../servers/contenders.ts';
import { connect, databases } from '../support/databases.ts';
import { eventually } from '../support/waiting.ts';

/** The default of option `waiterTtl`. */
const waiterTtl = 6_000;

describe.each(databases)('on $name', (database) => {
  test.each([
    ['an exclusive one', {}],
    ['a shared one', { mode: 'shared' }],
  ] as const)(
    'the next in line waits half of `waiterTtl` at most when the first was killed: %s',
    async (_name, mode) => {
      const url = await database.create();
      const knex = connect(url, database.name === 'SQLite' ? {} : { pool: { min: 0, max: 4 } });
      await migrate(knex);
      const provider = createSqlProvider(knex);
      const locks = createLocks(provider, { ttl: 30_000 });
      onTestFinished(async () => {
        await locks.close();
        await provider.close();
      });
      const lease = await locks.acquire('job');
      const first = await startContender();
      const waiters = (count: number): Promise<unknown> =>
        eventually(`${count} in line`, async () => (await locks.inspect('job')).waiters === count);
      first.take({ url, key: 'job', ttl: 30_000 });
      await waiters(1);
      const second = locks.acquire('job', mode);
      await waiters(2);
      const shownAt = performance.now();
      await first.kill();
      await lease.release();
      const next = await second;
      const lasted = performance.now() - shownAt;
      expect(lasted).toBeLessThan(0.7 * waiterTtl);
      await next.release();
    },
  );
});
