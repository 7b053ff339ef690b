import { collect } from '@locks/test-servers';
import { openLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { createSqlProvider, migrateTables, sweep } from '../../src/index.ts';
import type { SqlOptions } from '../../src/index.ts';
import { connect, databases, rowsOf, servers } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { tablesOf } from '../support/tables.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import { createUser, grantsIn } from '../support/users.ts';

const without = { routines: false } as const;

const claim = (key: string, owner: string, more: Partial<Claim> = {}): Claim => ({
  key,
  owner,
  ttl: 20_000,
  mode: 'exclusive',
  ...more,
});

const provide = (knex: Knex, options: SqlOptions = without): LockProvider => locksOver(knex, options).provider;

/** A database with the one table. */
async function setUp(database: Database): Promise<{ readonly url: string; readonly knex: Knex }> {
  const url = await database.create();
  const knex = connect(url);
  await migrateTables(knex, without);
  return { url, knex };
}

/** Makes all texts two hours old. */
async function age(knex: Knex): Promise<void> {
  const { driverName } = knex.client as { readonly driverName: string };
  const earlier = driverName === 'pg' ? `written - interval '2 hours'` : 'written - 7200000000';
  await knex('locks').update({ written: knex.raw(earlier) });
}

async function tokenOf(attempt: ReturnType<LockProvider['tryAcquire']>): Promise<bigint> {
  const answer = await attempt;
  if (!answer.granted) throw new Error('The key is busy.');
  return answer.token;
}

describe.each(servers)('without routines, on $name', (database) => {
  test('there is one table, and all that a queue needs', async () => {
    const { knex } = await setUp(database);
    await migrateTables(knex, without);
    expect(await tablesOf(knex)).toEqual(['locks']);
    expect(provide(knex).traits).toEqual({
      scope: 'network',
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair: true,
      shared: true,
      wake: true,
    });
  });

  test('a configuration creates the table, and the names are the configured ones', async () => {
    const url = await database.create();
    const locks = await openLocks(`${url}?migrate=true&routines=false&table=shop_locks`);
    await (await locks.acquire('job')).release();
    expect(await collect(locks.list())).toEqual([]);
    await locks.close();
    expect(await tablesOf(connect(url))).toEqual(['shop_locks']);
  });

  test('the sweep removes a text that is idle, and leaves those of holds, of registers and of late use', async () => {
    const { knex } = await setUp(database);
    const provider = provide(knex, { ...without, sweep: false });
    await provider.register?.('name', { from: undefined, to: 'a' });
    await provider.tryAcquire(claim('held', 'a/1', { ttl: 86_400_000 }));
    const token = await tokenOf(provider.tryAcquire(claim('idle', 'a/2')));
    await provider.release(claim('idle', 'a/2'));
    await age(knex);
    await provider.tryAcquire(claim('recent', 'a/3'));
    expect(await sweep(knex, without)).toBe(1);
    const keys = (await rowsOf(knex('locks').select('key'))).map(({ key }) => String(key)).toSorted();
    expect(keys).toEqual(['key:held', 'key:recent', 'register:name']);
    expect(await tokenOf(provider.tryAcquire(claim('idle', 'b/1')))).toBeGreaterThan(token);
  });

  test('renewals and releases of holders get a connection before claims that want a key', async () => {
    const { url, knex } = await setUp(database);
    const [held, over] = [claim('held', 'a/1'), claim('over', 'a/2')];
    await Promise.all([held, over].map((each) => provide(knex).tryAcquire(each)));
    // It knows of no key, so each call is two statements.
    const provider = provide(connect(url, { pool: { min: 1, max: 1 } }));
    const settled: string[] = [];
    const claims = Array.from({ length: 50 }, (_, index) => provider.tryAcquire(claim(`${index}`, `b/${index}`)));
    await Promise.all([
      ...claims.map((attempt) => attempt.then(() => settled.push('claim'))),
      provider.renew(held).then(() => settled.push('renewal')),
      provider.release(over).then(() => settled.push('release')),
    ]);
    expect(settled.slice(0, 2)).toEqual(['renewal', 'release']);
  });

  test('a missing table is told, with the ways to create it', async () => {
    const knex = connect(await database.create());
    await expect(provide(knex).inspect('job')).rejects.toMatchObject(
      misconfigured(/"locks" is missing.*migrateTables\(client, \{ routines: false \}\)/),
    );
  });

  test('a table of that name with other columns is left alone, and refused with those that it needs', async () => {
    const knex = connect(await database.create());
    await knex.schema.createTable('locks', (table) => {
      table.string('door').primary();
    });
    const refused = misconfigured(/"routines" false, which needs the columns \(key, .*set option "table"/);
    await expect(provide(knex).inspect('job')).rejects.toMatchObject(refused);
    await expect(migrateTables(knex, without)).rejects.toMatchObject(refused);
    await expect(migrateTables(knex)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(Object.keys(await knex('locks').columnInfo())).toEqual(['door']);
  });

  test('the tables of one kind are refused to providers of the other, and stay as they are', async () => {
    const { url, knex } = await setUp(database);
    // Of any text, which comes back as it was.
    const held = claim('held', 'Bjørk/\u{1F512}"\\\'');
    await provide(knex).tryAcquire(held);
    await expect(provide(connect(url), {}).tryAcquire(held)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    await expect(migrateTables(knex)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect((await provide(connect(url)).inspect('held')).holders).toMatchObject([{ owner: held.owner }]);
    const other = connect(await database.create());
    await migrateTables(other);
    const refused = misconfigured(/Leave the option out in all processes if it was made for routines/);
    await expect(provide(other).tryAcquire(held)).rejects.toMatchObject(refused);
    await expect(sweep(other, without)).rejects.toMatchObject(refused);
    await expect(migrateTables(other, without)).rejects.toMatchObject(refused);
    expect(await provide(other, {}).tryAcquire(held)).toMatchObject({ granted: true });
  });
});

test('SQLite has no routines to do without, and says so', async () => {
  const knex = connect(await databases[2]!.create());
  const refused = misconfigured(/"routines" is false, but sqlite has no stored routines; leave the option out/);
  expect(() => createSqlProvider(knex, without)).toThrow(expect.objectContaining(refused));
  await expect(migrateTables(knex, without)).rejects.toMatchObject(refused);
  await expect(sweep(knex, without)).rejects.toMatchObject(refused);
});

describe.each(servers)('the least-privilege user without routines on $name', (database) => {
  /** A user who has the grants of the package that `wanted` accepts. */
  async function withUser(
    wanted: (grant: string) => boolean,
  ): Promise<{ readonly admin: Knex; readonly name: string; readonly user: Knex }> {
    const { url, knex: admin } = await setUp(database);
    const { user: name, url: own } = await createUser(database, admin, url);
    for (const grant of (await grantsIn(database, 'texts/grants.sql', name)).filter(wanted)) await admin.raw(grant);
    return { admin, name, user: connect(own) };
  }

  async function exercise(user: Knex): Promise<void> {
    const { locks } = locksOver(user, { ...without, sweep: false });
    const lease = await locks.acquire('job');
    expect(await locks.tryAcquire('job')).toBeNull();
    await lease.renew();
    expect(await lease.release()).toBe(true);
    expect((await locks.inspect('job')).holders).toEqual([]);
    await (await locks.acquire('job')).release();
  }

  test('locks with SELECT, INSERT and UPDATE, and sweeps with DELETE too', async () => {
    const { admin, user } = await withUser(() => true);
    await exercise(user);
    await age(admin);
    expect(await sweep(user, without)).toBe(1);
  });

  test('keeps registers without DELETE', async () => {
    const { user } = await withUser((grant) => !grant.includes('DELETE'));
    const provider = provide(user, { ...without, sweep: false });
    expect(await provider.register?.('name', { from: undefined, to: 'a' })).toBe('a');
    expect(await provider.register?.('name', { from: 'a', to: 'b' })).toBe('b');
    expect(await provider.register?.('name', { from: 'b', to: undefined })).toBeUndefined();
    expect(await provider.register?.('name')).toBeUndefined();
  });

  test('without DELETE cannot sweep, and is told so; the provider sweeps no more', async () => {
    const { user } = await withUser((grant) => !grant.includes('DELETE'));
    await exercise(user);
    await createSqlProvider(user, without).close();
    await locksOver(user, without).locks.withLock('job', async () => {});
    const swept = sweep(user, { ...without, tokenRetention: 1_000 });
    // MariaDB asks for the right when there is something to delete.
    if (database.name === 'Postgres') await expect(swept).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    else await swept;
  });

  test.each(['SELECT', 'INSERT', 'UPDATE'])('needs %s', async (right) => {
    const { admin, name, user } = await withUser(() => true);
    await admin.raw(`REVOKE ${right} ON locks FROM ${name}`);
    await expect(exercise(user)).rejects.toMatchObject(misconfigured(/grants\.sql/));
  });
});
