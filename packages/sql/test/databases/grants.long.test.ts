import { collect } from '@locks/test-servers';
import { openLocks } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { LocksMigrationSource, createSqlGuard, migrateTables, sweep } from '../../src/index.ts';
import type { TableOptions } from '../../src/index.ts';
import { connect, ownName, servers, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import { createUser, grantsIn } from '../support/users.ts';

/** A user who has what sql/<dialect>/grants.sql grants, and nothing else. */
async function withUser(database: Database): Promise<{
  readonly admin: Knex;
  readonly user: Knex;
  readonly url: string;
  /** What was granted, one privilege on one object each, with the text that revokes it. */
  readonly privileges: readonly Privilege[];
}> {
  const { url: whole, knex: admin } = await withTables(database);
  const { user, url } = await createUser(database, admin, whole);
  const grants = await grantsIn(database, 'grants.sql', user);
  for (const grant of grants) await admin.raw(grant);
  return { admin, user: connect(url), url, privileges: grants.flatMap((text) => privilegesOf(text, user)) };
}

interface Privilege {
  readonly what: string;
  readonly revoke: string;
  readonly grant: string;
}

function privilegesOf(statement: string, user: string): readonly Privilege[] {
  const [, rights = '', kind = '', objects = ''] =
    /^\s*GRANT (.+) ON (SCHEMA |FUNCTION |PROCEDURE |)(.+) TO \S+\s*$/.exec(statement) ?? [];
  return rights.split(', ').flatMap((right) =>
    objects.split(', ').map((object) => {
      const what = `${right} ON ${kind}${object}`;
      return { what, revoke: `REVOKE ${what} FROM ${user}`, grant: `GRANT ${what} TO ${user}` };
    }),
  );
}

/** All that can be done with a register. */
const changes = [
  [undefined, 'a'],
  ['a', 'b'],
  ['b', undefined],
] as const;

/** Why calls were refused to a service and a guard that do all that they can. */
async function refusals(
  user: Knex,
  options: TableOptions = {},
): Promise<{ readonly service: readonly unknown[]; readonly guard: readonly unknown[] }> {
  const { provider } = locksOver(user, options);
  const key = ownName();
  const claim = { key, owner: `${key}/1`, ttl: 5_000, mode: 'exclusive' } as const;
  const shared = { ...claim, key: `${key}/shared`, mode: 'shared' } as const;
  const calls = [
    () => provider.tryAcquire(claim),
    () => provider.tryAcquire({ ...claim, owner: `${key}/2` }, () => {}),
    () => provider.tryAcquire(shared),
    () => provider.renew(claim),
    () => provider.renew(shared),
    () => provider.inspect(key),
    () => collect(provider.list?.(key) ?? []),
    ...changes.map(
      ([from, to]) =>
        async () =>
          await provider.register?.(key, { from, to }),
    ),
    () => provider.release({ ...claim, owner: `${key}/2` }),
    () => provider.release(shared),
    () => provider.release(claim),
    () => sweep(user, options),
  ];
  const service: unknown[] = [];
  for (const call of calls) await call().catch((error: unknown) => service.push(error));
  const guard: unknown[] = [];
  // The second one finds a higher token.
  for (const token of [2n, 2n]) {
    await user
      .transaction((trx) => createSqlGuard(options).fence(trx, key, token))
      .catch((error: unknown) => guard.push(error));
  }
  return { service, guard };
}

describe.each(servers)('the least-privilege user of the documentation on $name', (database) => {
  test('needs every privilege of them, and no other, and is told so', async () => {
    const { admin, user, url, privileges } = await withUser(database);
    // Each role has it by default.
    if (database.name === 'Postgres') await admin.raw('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    expect(privileges.length).toBeGreaterThanOrEqual(8);
    expect(await refusals(user)).toEqual({ service: [], guard: [] });
    await (await openLocks(url)).close();
    await admin('locks').update({ version: 1 });
    expect(await sweep(user)).toBeGreaterThan(0);
    const told = misconfigured(/grants\.sql/);
    for (const { what, revoke, grant } of privileges) {
      await admin.raw(revoke);
      const { service, guard } = await refusals(connect(url));
      await admin.raw(grant);
      const ofGuard = what.includes('_fences');
      expect({ what, service: service.length > 0, guard: guard.length > 0 }).toEqual({
        what,
        service: !ofGuard,
        guard: ofGuard || what.includes('SCHEMA'),
      });
      for (const reason of service) expect(reason, what).toMatchObject(told);
    }
  });

  test('can remove and create nothing', async () => {
    const { user } = await withUser(database);
    const denied = /permission denied|command denied|must be owner/;
    for (const rest of ['', '_queue', '_shares', '_fences', '_layout']) {
      await expect(user.raw(`DELETE FROM locks${rest}`)).rejects.toThrow(denied);
      await expect(user.raw(`DROP TABLE locks${rest}`)).rejects.toThrow(denied);
    }
    await expect(user.raw('UPDATE locks_layout SET version = 2')).rejects.toThrow(denied);
    await expect(user.raw('CREATE TABLE mine (x integer)')).rejects.toThrow(denied);
    await expect(migrateTables(user, { table: 'mine' })).rejects.toMatchObject(misconfigured(denied));
  });
});

/** The rights that the error of a migration names. */
const migrationRights = {
  Postgres: ['USAGE ON SCHEMA public', 'CREATE ON SCHEMA public'],
  MariaDB: ['CREATE', 'DROP', 'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE ROUTINE', 'ALTER ROUTINE'],
  SQLite: [],
};

describe.each(servers)('the user who migrates on $name', (database) => {
  test('needs each of the rights that an error names, and no others', async () => {
    const url = await database.create();
    const admin = connect(url);
    const onPostgres = database.name === 'Postgres';
    const { user: name, url: own } = await createUser(database, admin, url);
    if (onPostgres) await admin.raw('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    const where = onPostgres ? '' : ` ON ${new URL(url).pathname.slice(1)}.*`;
    /**
     * Makes the tables, looks whether they are there, uses them as another user, and removes them.
     */
    const whole = async (): Promise<void> => {
      const options = { table: ownName() };
      const user = connect(own);
      await migrateTables(user, options);
      await migrateTables(user, options);
      // The routines run with the rights of the user who made them.
      const { service } = await refusals(admin, options);
      for (const reason of service) throw reason;
      await (await new LocksMigrationSource(options).getMigration({ name: '', from: 0 })).down?.(user);
    };
    const rights = migrationRights[database.name];
    for (const right of rights) await admin.raw(`GRANT ${right}${where} TO ${name}`);
    await whole();
    for (const right of rights) {
      await admin.raw(`REVOKE ${right}${where} FROM ${name}`);
      await expect(whole(), right).rejects.toMatchObject(misconfigured(right.split(' ON ')[0]!));
      await admin.raw(`GRANT ${right}${where} TO ${name}`);
    }
  });
});
