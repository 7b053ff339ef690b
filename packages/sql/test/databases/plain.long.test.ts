import { readFile } from 'node:fs/promises';
import { collect } from '@locks/test-servers';
import { createLocks, openLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrateTables, sweep } from '../../src/index.ts';
import type { SqlOptions } from '../../src/index.ts';
import { connect, databases, ownName, rowsOf, servers } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { columnsOf, tablesOf } from '../support/tables.ts';

const plain = { routines: false } as const;
const hour = 3_600_000;

const claim = (key: string, owner: string, more: Partial<Claim> = {}): Claim => ({
  key,
  owner,
  ttl: 20_000,
  mode: 'exclusive',
  ...more,
});

/** A provider on `knex` that ends with the test. */
function provide(knex: Knex, options: SqlOptions = plain): LockProvider {
  const provider = createSqlProvider(knex, options);
  onTestFinished(() => provider.close());
  return provider;
}

/** A database with the one table. */
async function setUp(database: Database): Promise<{ readonly url: string; readonly knex: Knex }> {
  const url = await database.create();
  const knex = connect(url);
  await migrateTables(knex, plain);
  return { url, knex };
}

/** The token of a grant; fails for a busy key. */
async function tokenOf(attempt: ReturnType<LockProvider['tryAcquire']>): Promise<bigint> {
  const answer = await attempt;
  if (!answer.granted) throw new Error('The key is busy.');
  return answer.token;
}

/** The key as the driver compares it. */
const stored = (database: Database, key: string): string | Buffer =>
  database.name === 'SQLite' ? key : Buffer.from(key);

/** Moves the version of `key`, as if the clock had been another when it was minted. */
async function shift(database: Database, knex: Knex, key: string, ms: number): Promise<void> {
  await knex('locks')
    .where('key', stored(database, key))
    .update({ version: knex.raw('version + ?', [ms * 1_000]) });
}

describe.each(servers)('without routines, on $name', (database) => {
  test('there is one table of four columns', async () => {
    const { knex } = await setUp(database);
    await migrateTables(knex, plain);
    expect(await tablesOf(knex)).toEqual(['locks']);
    expect((await columnsOf(knex, 'locks')).map((column) => (column as { readonly name: string }).name)).toEqual([
      'key',
      'version',
      'owner',
      'held_until',
    ]);
    expect(provide(knex).traits).toEqual({
      scope: database.name === 'SQLite' ? 'host' : 'network',
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair: false,
      shared: false,
      wake: false,
    });
  });

  test('a configuration creates the table, and the names are the configured ones', async () => {
    const url = await database.create();
    const locks = await openLocks(`${url}?migrate=true&routines=false&table=shop_locks`);
    await (await locks.acquire('job')).release();
    await locks.close();
    expect(await tablesOf(connect(url))).toEqual(['shop_locks']);
  });

  test('a waiter polls and gets the key, as often as it is told', async () => {
    const { knex } = await setUp(database);
    const provider = provide(knex, { ...plain, pollInterval: 40 });
    const locks = createLocks(provider);
    const lease = await locks.acquire('job');
    expect(await provider.tryAcquire(claim('job', 'b/1'))).toEqual({ granted: false, retryAfter: 40 });
    expect(await provide(knex).tryAcquire(claim('job', 'b/1'))).toEqual({ granted: false });
    const next = locks.acquire('job');
    await lease.release();
    expect((await next).token).toBeGreaterThan(lease.token);
    expect(await collect(provider.list?.('jo') ?? [])).toEqual(['job']);
    expect(await collect(provider.list?.('') ?? [])).toEqual(['job']);
    await (await next).release();
    expect(await collect(provider.list?.('') ?? [])).toEqual([]);
    await locks.close();
  });

  test('of claims that race for a row exactly one is granted, also for one that is not there yet', async () => {
    const { url } = await setUp(database);
    const providers = [1, 2, 3].map(() => provide(connect(url, { pool: { min: 0, max: 4 } })));
    let last = 0n;
    for (let round = 0; round < 20; round += 1) {
      const claims = Array.from({ length: 12 }, (_, index) => claim('hot', `${round}/${index}`));
      const answers = await Promise.all(claims.map((each, index) => providers[index % 3]!.tryAcquire(each)));
      const won = claims.filter((_, index) => answers[index]!.granted);
      expect(won).toHaveLength(1);
      const token = await tokenOf(providers[1]!.tryAcquire(won[0]!));
      expect(answers.find(({ granted }) => granted)).toMatchObject({ token });
      expect(token).toBeGreaterThan(last);
      last = token;
      const freed = await Promise.all(claims.map((each, index) => providers[index % 3]!.release(each)));
      expect(freed.filter(Boolean)).toHaveLength(1);
    }
  });

  test('tokens exceed the floor, and a renewal raises them', async () => {
    const { knex } = await setUp(database);
    const provider = provide(knex);
    const floor = 2n ** 52n;
    const a = claim('job', 'a/1');
    expect(await tokenOf(provider.tryAcquire({ ...a, floor }))).toBe(floor + 1n);
    expect(await provider.renew(a, floor)).toBe(false);
    expect(await provider.renew(a, floor + 5n)).toEqual({});
    expect(await tokenOf(provider.tryAcquire(a))).toBe(floor + 5n);
    expect((await provider.inspect('job')).holders).toMatchObject([{ owner: 'a/1', token: floor + 5n }]);
    expect(await provider.release(a)).toBe(true);
    expect(await provider.release(a)).toBe(false);
    expect(await provider.renew(a)).toBe(false);
    expect(await tokenOf(provider.tryAcquire(claim('job', 'b/1')))).toBe(floor + 6n);
  });

  test('the row stays after a release; the sweep removes it when it is idle, and its token does not come back', async () => {
    const { knex } = await setUp(database);
    const provider = provide(knex, { ...plain, sweep: false });
    for (const key of ['idle', 'recent']) {
      const each = claim(key, `${key}/1`);
      await provider.tryAcquire(each);
      await provider.release(each);
    }
    await provider.tryAcquire(claim('held', 'held/1'));
    for (const key of ['idle', 'held']) await shift(database, knex, key, -2 * hour);
    expect(await sweep(knex, plain)).toBe(1);
    const keys = (await rowsOf(knex('locks').select('key')))
      .map(({ key }) => String(key))
      .filter((key) => /^\w/.test(key));
    expect(keys.toSorted()).toEqual(['held', 'recent']);
    expect(await sweep(knex, plain)).toBe(0);
    // As after a step back of the clock: what was removed was minted by one that was a day ahead.
    await shift(database, knex, database.name === 'SQLite' ? '' : 'none', 24 * hour);
    if (database.name !== 'SQLite') {
      await knex('locks')
        .where('key', Buffer.of(255))
        .update({ version: knex.raw('version + ?', [24 * hour * 1_000]) });
    }
    const [removed] = await rowsOf(knex('locks').max('version as version'));
    expect(await tokenOf(provider.tryAcquire(claim('idle', 'b/1')))).toBe(BigInt(String(removed!['version'])) + 1n);
  });

  test('shared mode is refused, and names the trait', async () => {
    const { knex } = await setUp(database);
    await expect(provide(knex).tryAcquire(claim('job', 'a/1', { mode: 'shared' }))).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      key: 'job',
      message: expect.stringMatching(/trait "shared" is false.*"routines" is false/) as string,
    });
  });

  test('a missing table is told, with the ways to create it', async () => {
    const knex = connect(await database.create());
    await expect(provide(knex).inspect('job')).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/"locks" is missing.*migrateTables\(client, \{ routines: false \}\)/) as string,
    });
  });

  test('a table of that name with other columns is left alone, and refused with both lists', async () => {
    const knex = connect(await database.create());
    await knex.schema.createTable('locks', (table) => {
      table.string('door').primary();
    });
    const refused = {
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/has the columns \(door .*needs \(key .*Set option "table"/) as string,
    };
    await expect(provide(knex).inspect('job')).rejects.toMatchObject(refused);
    await expect(migrateTables(knex, plain)).rejects.toMatchObject(refused);
    await expect(migrateTables(knex)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(await columnsOf(knex, 'locks')).toHaveLength(1);
  });
});

describe.each([
  ['listen', true],
  ['waiterTtl', 1_000],
])('the option %s', (option, value) => {
  test(`cannot be ${value} without routines`, async () => {
    const knex = connect(await databases[2]!.create());
    expect(() => createSqlProvider(knex, { routines: false, [option]: value })).toThrow(
      expect.objectContaining({
        code: 'LOCK_MISCONFIGURED',
        message: expect.stringMatching(new RegExp(`option "${option}" is ${value}.*"routines" false`)) as string,
      }),
    );
    expect(() => createSqlProvider(knex, { routines: false, listen: false })).not.toThrow();
  });
});

describe.each(servers)('a table that began without routines, on $name', (database) => {
  test('keeps its holds, tokens and watermark when it is migrated', async () => {
    const { url, knex } = await setUp(database);
    const before = provide(knex, { ...plain, sweep: false });
    const [held, idle, gone] = ['held', 'idle', 'gone'].map((key) => claim(key, `${key}/1`));
    const tokens = await Promise.all([held, idle, gone].map((each) => tokenOf(before.tryAcquire(each!))));
    for (const each of [idle, gone]) await before.release(each!);
    await shift(database, knex, 'gone', -2 * hour);
    expect(await sweep(knex, plain)).toBe(1);
    // What was removed, as if by a clock that was a day ahead.
    const mark = database.name === 'SQLite' ? '' : Buffer.of(255);
    await knex('locks')
      .where('key', mark)
      .update({ version: knex.raw('version + ?', [24 * hour * 1_000]) });
    const [swept] = await rowsOf(knex('locks').where('key', mark).select('version'));

    await migrateTables(knex);
    await migrateTables(knex);
    const other = connect(await database.create());
    await migrateTables(other);
    const sorted = async (of: Knex): Promise<readonly unknown[]> => await columnsOf(of, 'locks');
    expect(await sorted(knex)).toEqual(await sorted(other));

    const after = provide(connect(url), {});
    expect(await after.tryAcquire(claim('held', 'b/1'))).toMatchObject({ granted: false });
    expect((await after.inspect('held')).holders).toMatchObject([{ owner: 'held/1', token: tokens[0] }]);
    expect(await tokenOf(after.tryAcquire(claim('idle', 'b/2')))).toBeGreaterThan(tokens[1]!);
    expect(await tokenOf(after.tryAcquire(claim('gone', 'b/3')))).toBeGreaterThan(BigInt(String(swept!['version'])));
    const share = claim('shared', 'b/4', { mode: 'shared' });
    expect((await after.tryAcquire(share)).granted).toBe(true);
  });

  test('is refused to clients with routines before, and to those without afterwards; holds go on', async () => {
    const { url, knex } = await setUp(database);
    const without = provide(connect(url, { pool: { min: 0, max: 3 } }));
    const held = claim('held', 'a/1');
    const busy = claim('busy', 'a/2');
    const token = await tokenOf(without.tryAcquire(held));
    const early = provide(connect(url), {});
    await expect(early.tryAcquire(claim('held', 'b/1'))).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/"locks_layout" is missing/) as string,
    });

    await migrateTables(connect(url));
    const refused = {
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/"routines" is false, but the table "(?:\w+\.)?locks" was migrated/) as string,
    };
    const late = provide(connect(url));
    await expect(late.inspect('held')).rejects.toMatchObject(refused);
    await expect(migrateTables(knex, plain)).rejects.toMatchObject(refused);

    const routines = provide(connect(url), {});
    expect((await routines.tryAcquire(busy)).granted).toBe(true);
    const share = claim('share', 'b/2', { mode: 'shared', permits: 2 });
    expect((await routines.tryAcquire(share)).granted).toBe(true);
    // Over connections that knew the table before: a free key, a key held by others, a shared key,
    // a renewal and a release.
    await expect(without.tryAcquire(claim('free', 'a/3'))).rejects.toMatchObject(refused);
    for (const key of ['busy', 'share']) {
      const answer = await without.tryAcquire(claim(key, 'a/4')).catch((error: unknown) => error);
      // SQLite looks before it writes.
      expect(answer).toMatchObject(database.name === 'SQLite' && key === 'busy' ? { granted: false } : refused);
    }
    await expect(sweep(knex, plain)).rejects.toMatchObject(refused);
    // Some of these go over connections that are opened now.
    expect(await Promise.all([1, 2, 3, 4].map(() => without.renew(held)))).toEqual([{}, {}, {}, {}]);
    expect(await routines.tryAcquire(claim('held', 'b/1'))).toMatchObject({ granted: false });
    expect(await without.release(held)).toBe(true);
    expect(await tokenOf(routines.tryAcquire(claim('held', 'b/1')))).toBeGreaterThan(token);
  });

  test('is never held twice while it is migrated', async () => {
    const { url, knex } = await setUp(database);
    const without = createLocks(provide(knex), { ttl: 5_000 });
    const full = createLocks(provide(connect(url), {}), { ttl: 5_000 });
    let inside = 0;
    let most = 0;
    let served = 0;
    let migrated = Infinity;
    const work = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      served += 1;
    };
    /**
     * Locks again and again until `done`; `refused` is told of each refusal for the sake of the
     * table.
     */
    const repeat = async (locks: typeof full, done: () => boolean, refused: () => void): Promise<void> => {
      while (!done()) {
        try {
          await locks.withLock('job', work);
        } catch (error) {
          expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
          refused();
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
    };
    const old = [1, 2, 3].map(async () => {
      let over = false;
      await repeat(
        without,
        () => over,
        () => (over = true),
      );
    });
    const done = (): boolean => served >= migrated + 20;
    const young = [1, 2].map(() => repeat(full, done, () => {}));
    while (served < 10) await new Promise((resolve) => setTimeout(resolve, 1));
    await migrateTables(connect(url));
    migrated = served;
    await Promise.all([...old, ...young]);
    expect(most).toBe(1);
    await without.close();
    await full.close();
  });
});

describe.each(databases.slice(0, 2))('the least-privilege user without routines on $name', (database) => {
  const file = database.name === 'Postgres' ? 'postgres' : 'mysql';

  /** A user who has the grants of the package that `wanted` accepts. */
  async function withUser(wanted: (grant: string) => boolean): Promise<{ readonly admin: Knex; readonly user: Knex }> {
    const { url, knex: admin } = await setUp(database);
    const name = ownName();
    await admin.raw(
      file === 'postgres'
        ? `CREATE ROLE ${name} LOGIN PASSWORD 'secret'`
        : `CREATE USER ${name} IDENTIFIED BY 'secret'`,
    );
    onTestFinished(async () => {
      if (file === 'postgres') await admin.raw(`DROP OWNED BY ${name}`);
      await admin.raw(file === 'postgres' ? `DROP ROLE ${name}` : `DROP USER ${name}`);
    });
    const text = await readFile(new URL(`../../sql/${file}/plain/grants.sql`, import.meta.url), 'utf8');
    const grants = text
      .replaceAll(/^--.*$/gm, '')
      .replaceAll(/(["`])app\1/g, name)
      .split(';');
    const chosen = grants.map((grant) => grant.trim()).filter((grant) => grant !== '' && wanted(grant));
    for (const grant of chosen) await admin.raw(grant);
    return { admin, user: connect(Object.assign(new URL(url), { username: name, password: 'secret' }).href) };
  }

  async function exercise(user: Knex): Promise<void> {
    const locks = createLocks(provide(user, { ...plain, sweep: false }));
    const lease = await locks.acquire('job');
    expect(await locks.tryAcquire('job')).toBeNull();
    await lease.renew();
    expect(await lease.release()).toBe(true);
    expect((await locks.inspect('job')).holders).toEqual([]);
    await (await locks.acquire('job')).release();
    await locks.close();
  }

  test('locks with SELECT, INSERT and UPDATE, and sweeps with DELETE too', async () => {
    const { admin, user } = await withUser(() => true);
    await exercise(user);
    await shift(database, admin, 'job', -2 * hour);
    expect(await sweep(user, plain)).toBe(1);
  });

  test('keeps registers without DELETE', async () => {
    const { user } = await withUser((grant) => !grant.includes('DELETE'));
    const provider = provide(user, { ...plain, sweep: false });
    expect(await provider.register?.('name', { from: undefined, to: 'a' })).toBe('a');
    expect(await provider.register?.('name', { from: 'a', to: 'b' })).toBe('b');
    expect(await provider.register?.('name', { from: 'b', to: undefined })).toBeUndefined();
    expect(await provider.register?.('name')).toBeUndefined();
  });

  test('without DELETE cannot sweep, and is told so; the provider sweeps no more', async () => {
    const { user } = await withUser((grant) => !grant.includes('DELETE'));
    await exercise(user);
    await createSqlProvider(user, plain).close();
    await createLocks(provide(user)).withLock('job', async () => {});
    const swept = sweep(user, { ...plain, tokenRetention: 1_000 });
    // MariaDB asks for the right when there is something to delete.
    if (database.name === 'Postgres') await expect(swept).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    else await swept;
  });

  test.each(['SELECT', 'INSERT', 'UPDATE'])('needs %s', async (right) => {
    const { admin, user } = await withUser(() => true);
    const [row] = await rowsOf(user.raw(file === 'postgres' ? 'SELECT current_user AS name' : 'SELECT user() AS name'));
    const name = String(row!['name']).replace(/@.*/, '');
    await admin.raw(`REVOKE ${right} ON locks FROM ${name}`);
    await expect(exercise(user)).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/grants\.sql/) as string,
    });
  });
});
