import { createLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';

/** Makes the database refuse each change of the locks, as where its disk is full. */
const refusing: Readonly<Record<string, readonly string[]>> = {
  Postgres: [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$`,
    'CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON locks FOR EACH ROW EXECUTE FUNCTION refuse()',
  ],
  MariaDB: ['INSERT', 'UPDATE'].map(
    (change) =>
      `CREATE TRIGGER refuse_${change} BEFORE ${change} ON locks FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no space left'`,
  ),
  SQLite: ['INSERT', 'UPDATE'].map(
    (change) =>
      `CREATE TRIGGER refuse_${change} BEFORE ${change} ON locks BEGIN SELECT RAISE(ABORT, 'no space left'); END`,
  ),
};

function claimOf(more: Partial<Claim> = {}): Claim {
  return { key: 'job', owner: 'one/1', ttl: 5_000, mode: 'exclusive', ...more };
}

describe.each(databases)('$name', ({ name, create }) => {
  test('what it refuses has changed nothing: an attempt asks again, and releases nothing', async () => {
    const knex = connect(await create());
    await migrateTables(knex);
    for (const statement of refusing[name]!) await knex.raw(statement);
    const provider = createSqlProvider(knex);
    onTestFinished(() => provider.close());
    let releases = 0;
    const counted: LockProvider = {
      name: provider.name,
      traits: provider.traits,
      tryAcquire: (claim, wake) => provider.tryAcquire(claim, wake),
      renew: (claim, token) => provider.renew(claim, token),
      release: (claim) => {
        releases += 1;
        return provider.release(claim);
      },
      inspect: (key) => provider.inspect(key),
      close: () => provider.close(),
    };
    const locks = createLocks(counted);
    for (let round = 0; round < 10; round += 1) {
      const cause = { sent: false, message: expect.stringContaining('no space left') as string };
      const refused = { code: 'LOCK_UNAVAILABLE', cause };
      await expect(locks.tryAcquire('job')).rejects.toMatchObject(refused);
    }
    const begun = performance.now();
    await locks.close();
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(releases).toBe(0);
  });

  test('a number that the column cannot have is refused at once, and not as an outage', async () => {
    const knex = connect(await create());
    await migrateTables(knex);
    const provider = createSqlProvider(knex);
    onTestFinished(() => provider.close());
    const most = claimOf({ mode: 'shared', permits: 2 ** 31 - 1 });
    expect(await provider.tryAcquire(most)).toMatchObject({ granted: true });
    expect(await provider.release(most)).toBe(true);
    if (name !== 'Postgres') return;
    const wrong = claimOf({ mode: 'shared', permits: 2 ** 31 });
    await expect(provider.tryAcquire(wrong)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  });
});
