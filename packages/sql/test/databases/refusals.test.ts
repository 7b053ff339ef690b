import type { Claim } from '@locks/core';
import { describe, expect, test, vi } from 'vitest';
import { databases, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

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

describe.each(databases)('$name', (database) => {
  test('what it refuses has changed nothing: an attempt asks again, and releases nothing', async () => {
    const { knex } = await withTables(database);
    for (const statement of refusing[database.name]!) await knex.raw(statement);
    const { provider, locks } = locksOver(knex);
    const releases = vi.spyOn(provider, 'release');
    for (let round = 0; round < 10; round += 1) {
      const cause = { sent: false, message: expect.stringContaining('no space left') as string };
      const refused = { code: 'LOCK_UNAVAILABLE', cause };
      await expect(locks.tryAcquire('job')).rejects.toMatchObject(refused);
    }
    const begun = performance.now();
    await locks.close();
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(releases).not.toHaveBeenCalled();
  });
});

test('a number that the column of Postgres cannot have is refused at once, and not as an outage', async () => {
  const { provider } = locksOver((await withTables(databases[0]!)).knex);
  const wrong = claimOf({ mode: 'shared', permits: 2 ** 31 });
  await expect(provider.tryAcquire(wrong)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});
