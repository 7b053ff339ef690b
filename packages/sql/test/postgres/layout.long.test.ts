import { collect, eventually } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { rendered } from '../../src/dialect/layout/names.ts';
import { migrations } from '../../src/postgres/migrations.ts';
import { connect, withClient, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { connect as connectKnex, createTables, databases, newDatabase } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { createUser, grantsIn } from '../support/users.ts';
import { join, queueUp } from '../servers/parties.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const server = await serverOfFile();

/** A database with tables in a schema, and a role with the grants of sql/postgres/grants.sql. */
async function withRole(): Promise<{ readonly url: string; readonly user: string; readonly own: string }> {
  const url = await newDatabase(server.url);
  const [postgres] = databases as readonly [Database];
  const { user, url: own } = await createUser(postgres, connectKnex(url), url);
  const grants = (await grantsIn(postgres, 'grants.sql', user)).join(';').replaceAll('"public"', '"safe"');
  await withClient(url, async (client) => {
    await client.query(`CREATE SCHEMA "safe"; SET search_path = "safe"; ${migrations[0]!.up[0]!}`);
    await client.query(`GRANT CREATE, TEMPORARY ON DATABASE ${new URL(url).pathname.slice(1)} TO ${user}`);
    await client.query(`SET search_path = "safe"; ${grants}`);
  });
  return { url, user, own };
}

/** Everything that locks do. */
async function exercise(url: string, options: { readonly schema?: string; readonly table?: string }): Promise<void> {
  const { locks, provider } = join(url, options);
  const lease = await locks.acquire('job');
  const queue = await queueUp([locks, locks, locks], 'job');
  const other = join(url, options);
  const far = other.locks.withLock('job', () => {});
  await eventually('4 waiters', async () => (await locks.inspect('job')).waiters === 4);
  await lease.renew();
  expect(await collect(provider.list?.('jo') ?? [])).toEqual(['job']);
  await lease.release();
  await queue.all;
  await far;
  expect(queue.order).toEqual([0, 1, 2]);
  const shares = await Promise.all([1, 2].map(() => locks.acquire('shared', { mode: 'shared', permits: 2 })));
  expect(await locks.tryAcquire('shared', { mode: 'shared', permits: 2 })).toBeNull();
  await shares[0]!.renew();
  for (const share of shares) expect(await share.release()).toBe(true);
}

describe('other names', () => {
  test.each([
    { table: 'select' },
    { table: 'Mixed_Case' },
    { table: 'l'.repeat(40) },
    { schema: 'Other' },
    { schema: 'order', table: 'locks_locks' },
  ])('%j: two sets of tables beside each other', async (options) => {
    const url = await ownTables(server);
    const names = { table: options.table ?? 'locks', schema: options.schema };
    await createTables(url, names);
    const plain = await join(url).locks.acquire('job');
    await exercise(url, options);
    expect(plain.held).toBe(true);
    await plain.release();
    await withClient(url, async (client) => {
      for (const statement of migrations[0]!.down) await client.query(rendered(statement, names, '"'));
      const { rows } = await client.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relname ~* 'lock|select|llll' AND relkind = 'r' AND relnamespace <> 'pg_catalog'::regnamespace`,
      );
      expect(rows).toHaveLength(5);
    });
    await exercise(url, {});
  });
});

describe('a role that may only do what is documented', () => {
  test('is told of row level security that hides the tables from it', async () => {
    const { url, own } = await withRole();
    const secure = (table: string, how: string): Promise<unknown> =>
      withClient(url, (client) => client.query(`ALTER TABLE safe.${table} ${how} ROW LEVEL SECURITY`));
    const refused = misconfigured('DISABLE ROW LEVEL SECURITY');
    const claim = { key: 'job', owner: 'a/1', ttl: 1_000, mode: 'exclusive' } as const;
    for (const table of ['locks_layout', 'locks']) {
      await secure(table, 'ENABLE');
      const { provider } = join(own, { schema: 'safe' });
      await expect(provider.tryAcquire(claim)).rejects.toMatchObject(refused);
      await secure(table, 'DISABLE');
      expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
      await provider.release(claim);
      await withClient(url, (client) => client.query('DELETE FROM safe.locks'));
    }
  });

  test('cannot lead the routines to tables or functions of its own', async () => {
    const client = await connect((await withRole()).own);
    await client.query(`CREATE SCHEMA trap; SET search_path = pg_temp, trap, safe, pg_catalog;
      CREATE TEMPORARY TABLE locks (LIKE safe.locks); CREATE TEMPORARY TABLE locks_queue (LIKE safe.locks_queue);
      CREATE TEMPORARY TABLE locks_shares (LIKE safe.locks_shares);
      CREATE TABLE trap.locks (LIKE safe.locks); CREATE TABLE trap.locks_queue (LIKE safe.locks_queue);
      CREATE TABLE trap.called (by text);
      CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ INSERT INTO trap.called VALUES (current_user); SELECT pg_catalog.clock_timestamp() $$;
      CREATE FUNCTION trap.locks_lock(bytea, boolean, integer) RETURNS safe.locks LANGUAGE sql
        AS $$ INSERT INTO trap.called VALUES (current_user); SELECT NULL::safe.locks $$;
      CREATE FUNCTION trap.pg_notify(text, text) RETURNS void LANGUAGE sql
        AS $$ INSERT INTO trap.called VALUES (current_user) $$`);
    const call = "safe.locks_acquire('job', $1, 60000, 0, $2, true, $1, 60000, '{}', 1000, false, '0')";
    const first = await client.query<{ token: string }>(`SELECT token FROM ${call}`, ['a/1', null]);
    expect(Number(first.rows[0]?.token)).toBeGreaterThan(1e15);
    await client.query(`SELECT token FROM ${call}`, ['b/1', 3]);
    await client.query("SELECT freed FROM safe.locks_release('job', 'a/1', 'c', 60000, 1000)");
    expect((await client.query('SELECT FROM trap.called')).rowCount).toBe(0);
    for (const table of ['pg_temp.locks', 'pg_temp.locks_queue', 'trap.locks']) {
      expect((await client.query(`SELECT FROM ${table}`)).rowCount, table).toBe(0);
    }
    expect((await client.query('SELECT FROM safe.locks')).rowCount).toBe(1);
    expect((await client.query('SELECT FROM safe.locks_queue')).rowCount).toBe(1);
  });

  test('nor can the search path of its connections', async () => {
    const { url, user, own } = await withRole();
    await withClient(url, (client) => client.query(`ALTER ROLE ${user} SET search_path = pg_temp, "$user", public`));
    await exercise(own, { schema: 'safe' });
  });
});

test('a publication of all tables refuses no call', async () => {
  const url = await ownTables(server);
  await withClient(url, (client) => client.query('CREATE PUBLICATION everything FOR ALL TABLES'));
  const { provider } = join(url);
  const claim = { key: 'job', owner: 'one', ttl: 60_000, mode: 'exclusive' } as const;
  await provider.tryAcquire(claim);
  await provider.release(claim);
  await withClient(url, async (client) => {
    // The row that it removes is noted in the table of the layout.
    await client.query('UPDATE locks SET version = 1');
    const { rows } = await client.query('SELECT locks_sweep(0, 10) AS removed');
    expect(rows).toEqual([{ removed: 1 }]);
    await client.query('UPDATE locks_layout SET swept = swept + 1');
  });
});

test('sweeps in the midst of contention disturb no client', async () => {
  const url = await ownTables(server);
  const { locks } = join(url);
  const client = await connect(url);
  let over = false;
  const sweeping = (async () => {
    let swept = 0;
    while (!over) swept += Number((await client.query<{ n: number }>('SELECT locks_sweep(0, 100) AS n')).rows[0]?.n);
    return swept;
  })();
  let inside = 0;
  let last = 0n;
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      for (let round = 0; round < 25; round += 1) {
        await locks.withLock('hot', (lease) => {
          inside += 1;
          expect(inside).toBe(1);
          expect(lease.token).toBeGreaterThan(last);
          last = lease.token;
          inside -= 1;
        });
        if (worker === 0) await locks.withLock(`cold ${round % 3}`, () => {});
      }
    }),
  );
  over = true;
  expect(await sweeping).toBeGreaterThan(0);
});
