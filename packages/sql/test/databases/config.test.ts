import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { resolve as absolute } from 'node:path';
import { eventually } from '@locks/test-servers';
import { isLockError, openLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { LocksMigrationSource } from '../../src/index.ts';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { connect, databases, ownName, rowsOf } from '../support/databases.ts';
import { tablesOf } from '../support/tables.ts';
import { lockError } from '../support/lock-error.ts';

const [postgres, mariadb, sqlite] = databases as [(typeof databases)[0], (typeof databases)[0], (typeof databases)[0]];
const secret = 'hunter2';

async function refusal(open: Promise<{ close(): Promise<void> }>): Promise<LockError> {
  try {
    await (await open).close();
  } catch (error) {
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
    if (isLockError(error)) return error;
    throw error;
  }
  throw new Error('It opened.');
}

/** `url` with the parts that are given. */
function changed(
  url: string,
  parts: Partial<Pick<URL, 'username' | 'password' | 'hostname' | 'port' | 'pathname'>>,
): string {
  return Object.assign(new URL(url), parts).href;
}

describe.each(databases)('on $name', (database) => {
  test('a URL is all it takes; its query carries the options of both halves', async () => {
    const url = await database.create();
    const locks = await openLocks(`${url}?migrate=true&table=app&ttl=10s&label=worker-7&pool=2`);
    onTestFinished(() => locks.close());
    const lease = await locks.acquire('job');
    expect(lease.remaining).toBeLessThan(10_000);
    expect(lease.owner).toMatch(/^worker-7\//);
    expect(await connect(url)('app').pluck('key')).toHaveLength(1);
    await lease.release();
  });

  test('tables that are missing are not made silently', async () => {
    const url = await database.create();
    const knex = connect(url);
    // SQLite makes its file.
    expect(await tablesOf(knex)).toEqual([]);
    const error = await refusal(openLocks(url));
    expect(error).toMatchObject(
      lockError('LOCK_MISCONFIGURED', /locks.* missing.*migrateTables\(client\).*migrate=true.*LocksMigrationSource/s),
    );
    expect(await tablesOf(knex)).toEqual([]);
  });

  test('tables of another version are refused with what to do', async () => {
    const url = await database.create();
    await (await openLocks(`${url}?migrate=true`)).close();
    const knex = connect(url);
    await knex('locks_layout').update({ version: 0 });
    expect(await refusal(openLocks(url))).toMatchObject(
      lockError('LOCK_MISCONFIGURED', /layout 0; .* needs layout 1\. .*migrate=true/),
    );
    await knex('locks_layout').update({ version: 2, readable_from: 2 });
    expect(await refusal(openLocks(url))).toMatchObject(
      lockError('LOCK_MISCONFIGURED', /layout 2, .* knows layout 1\. Install/),
    );
  });

  test('tables of a later version that this one can use are used, and left alone', async () => {
    const url = await database.create();
    await (await openLocks(`${url}?migrate=true`)).close();
    const knex = connect(url);
    await knex('locks_layout').update({ version: 2, readable_from: 1 });
    const locks = await openLocks(`${url}?migrate=true`);
    await (await locks.acquire('job')).release();
    await locks.close();
    await knex.migrate.latest({ migrationSource: new LocksMigrationSource() });
    expect(await rowsOf(knex.raw('SELECT version FROM locks_layout'))).toEqual([{ version: 2 }]);
  });

  test('prints nothing, whatever happens to its connections', async () => {
    const spies = (['log', 'warn', 'error', 'info', 'debug'] as const).map((name) => vi.spyOn(console, name));
    onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
    const url = await database.create();
    await refusal(openLocks(url));
    const locks = await openLocks(`${url}?migrate=true`);
    await (await locks.acquire('job')).release();
    await locks.close();
    expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
  });
});

test.each([
  ['a wrong password', () => changed(inject('postgresUrl'), { password: secret }), 'LOCK_MISCONFIGURED', /password/],
  [
    'a wrong password',
    () => changed(inject('mariadbUrl'), { password: secret }),
    'LOCK_MISCONFIGURED',
    /[Aa]ccess denied/,
  ],
  [
    'an unknown database',
    () => changed(inject('postgresUrl'), { pathname: 'nowhere' }),
    'LOCK_MISCONFIGURED',
    /nowhere/,
  ],
  [
    'an unknown database',
    () => changed(inject('mariadbUrl'), { pathname: 'nowhere' }),
    'LOCK_MISCONFIGURED',
    /nowhere/,
  ],
  ['a port where nothing listens', () => `postgres://x:${secret}@127.0.0.1:1/x`, 'LOCK_UNAVAILABLE', /ECONNREFUSED/],
  ['a port where nothing listens', () => `mysql://x:${secret}@127.0.0.1:1/x`, 'LOCK_UNAVAILABLE', /ECONNREFUSED/],
  ['an unknown host', () => `postgres://x:${secret}@nowhere.invalid/x`, 'LOCK_UNAVAILABLE', /nowhere\.invalid/],
  ['an unknown host', () => `mysql://x:${secret}@nowhere.invalid/x`, 'LOCK_UNAVAILABLE', /nowhere\.invalid/],
  ['an unreadable URL', () => `postgres://x:${secret}@host:port/x`, 'LOCK_MISCONFIGURED', /cannot be read/],
  ['a password with "/" behind "@"', () => `postgres://x:y@${secret}/z@host/x`, 'LOCK_MISCONFIGURED', /cannot be read/],
  ['a password with "#" behind "@"', () => `mysql://x:y@${secret}#z@host/x`, 'LOCK_MISCONFIGURED', /cannot be read/],
  ['a URL without slashes', () => `postgres:x:${secret}@host/x`, 'LOCK_MISCONFIGURED', /cannot be read/],
  [
    'the text of a key as TLS',
    () => ({ url: 'postgres://127.0.0.1:1/x', options: { tls: `-----BEGIN PRIVATE KEY-----${secret}` } }),
    'LOCK_MISCONFIGURED',
    /option "tls" must be .*not shown/,
  ],
  ['no database', () => `mysql://x:${secret}@127.0.0.1:1`, 'LOCK_MISCONFIGURED', /names no database/],
  ['a file in no folder', () => 'sqlite:/nowhere/locks.db', 'LOCK_MISCONFIGURED', /folder/],
  ['no file', () => 'sqlite:', 'LOCK_MISCONFIGURED', /names no file/],
  ['a host for a file', () => 'sqlite://host/locks.db', 'LOCK_MISCONFIGURED', /names no file/],
  ['a database in memory', () => 'sqlite::memory:', 'LOCK_MISCONFIGURED', /in memory/],
  [
    'an unknown option',
    () => `${inject('postgresUrl')}?waiterTl=5s`,
    'LOCK_MISCONFIGURED',
    /"waiterTl". Did you mean "waiterTtl"\?/,
  ],
  ['a wrong option', () => `${inject('postgresUrl')}?pool=many`, 'LOCK_MISCONFIGURED', /option "pool".*"many"/],
  ['a wrong name', () => `${inject('postgresUrl')}?table=a-b`, 'LOCK_MISCONFIGURED', /option "table".*"a-b"/],
  ['a wrong TLS mode', () => `${inject('postgresUrl')}?sslmode=allow`, 'LOCK_MISCONFIGURED', /"verify-full".*"allow"/],
  [
    'a missing password',
    () => changed(inject('postgresUrl'), { password: '' }),
    'LOCK_MISCONFIGURED',
    /asks for a password: .*option "password"/,
  ],
  ['a missing password', () => changed(inject('mariadbUrl'), { password: '' }), 'LOCK_MISCONFIGURED', /its password/],
  [
    'TLS that the server has not',
    () => `${inject('postgresUrl')}?tls=true`,
    'LOCK_MISCONFIGURED',
    /SSL.*Turn TLS on at the server/,
  ],
  [
    // MariaDB 11.4 and newer have it, with a certificate that they have made themselves.
    'TLS that the server has not, or whose certificate has no authority',
    () => `${inject('mariadbUrl')}?tls=true`,
    'LOCK_MISCONFIGURED',
    /secure connection.*Turn TLS on|self-signed certificate.*"tls"/,
  ],
  ['TLS for a file', () => 'sqlite:./x.db?tls=true', 'LOCK_MISCONFIGURED', /"tls" means nothing for a sqlite/],
  [
    'a name for a file',
    () => 'sqlite:./x.db?applicationName=x',
    'LOCK_MISCONFIGURED',
    /"applicationName" means nothing/,
  ],
  ['a schema for a file', () => 'sqlite:./x.db?schema=x', 'LOCK_MISCONFIGURED', /SQLite has no schemas/],
])('%s is told at once, without the password (%#)', async (_what, url, code, message) => {
  const error = await refusal(openLocks(url()));
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(error.message.length).toBeLessThan(300);
});

const accounts: readonly (readonly [string, string, RegExp])[] = [
  ['is locked', 'ALTER USER %s ACCOUNT LOCK', /locked\. Unlock the account/],
  ['has a password that has expired', 'ALTER USER %s PASSWORD EXPIRE', /password has expired/],
  ['may use TLS only', 'ALTER USER %s REQUIRE SSL', /needs TLS \(option "tls"\)/],
];

test.each(accounts)('a user of MariaDB who %s is refused for good', async (_what, change, message) => {
  const url = await mariadb.create();
  const [admin, user] = [connect(url), ownName()];
  await admin.raw(`CREATE USER ${user} IDENTIFIED BY '${secret}'`);
  onTestFinished(() => admin.raw(`DROP USER ${user}`));
  await admin.raw(`GRANT ALL ON ${new URL(url).pathname.slice(1)}.* TO ${user}`);
  await admin.raw(change.replace('%s', user));
  const error = await refusal(openLocks(changed(url, { username: user, password: secret })));
  expect(error).toMatchObject(lockError('LOCK_MISCONFIGURED', message));
});

test.each(['user', 'ssl'])('option %s of its drivers has another name here', async (name) => {
  const error = await refusal(openLocks({ url: inject('postgresUrl'), options: { [name]: 'x' } }));
  expect(error).toMatchObject(lockError('LOCK_MISCONFIGURED', `unknown option "${name}"`));
});

test('a wrong password option is not shown', async () => {
  const error = await refusal(openLocks({ url: inject('postgresUrl'), options: { password: [secret] } }));
  expect(error).toMatchObject(lockError('LOCK_MISCONFIGURED', '"password"'));
});

test.each(['postgres', 'mysql'])(
  'a %s server that accepts and never answers is told within connectTimeout',
  async (scheme) => {
    const silent = createServer((socket) => void socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const started = performance.now();
    const error = await refusal(openLocks(`${scheme}://x:${secret}@127.0.0.1:${port}/x?connectTimeout=200ms`));
    expect(error.code).toBe('LOCK_UNAVAILABLE');
    expect(performance.now() - started).toBeLessThan(3_000);
    await eventually('the end of its connection', async () => (await connectionsOf(silent)) === 0);
  },
);

async function connectionsOf(server: ReturnType<typeof createServer>): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

test('user, password and the name of the connections come from the configuration', async () => {
  const url = await postgres.create();
  const admin = connect(url);
  const user = ownName();
  await admin.raw(`CREATE ROLE ${user} LOGIN SUPERUSER PASSWORD 'p@ss:/wörd'`);
  onTestFinished(async () => {
    await admin.raw(`REASSIGN OWNED BY ${user} TO CURRENT_USER`);
    await admin.raw(`DROP ROLE ${user}`);
  });
  const bare = changed(url, { username: '', password: '' });
  const options = { username: user, password: 'p@ss:/wörd', applicationName: user, migrate: true };
  const locks = await openLocks({ url: bare, options });
  const names = await rowsOf(admin.raw('SELECT usename FROM pg_stat_activity WHERE application_name = ?', [user]));
  expect(names).toEqual([{ usename: user }]);
  await locks.close();
  const viaUrl = await openLocks(changed(url, { username: user, password: encodeURIComponent('p@ss:/wörd') }));
  await viaUrl.close();
});

test('its sessions on Postgres have limits on the server, and wait no longer than the timeout', async () => {
  const url = await postgres.create();
  const admin = connect(url);
  await admin.raw(
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = 'serializable'`,
  );
  const { readConfigOptions } = await import('../../src/options/config-options.ts');
  const { postgres: dialect } = await import('../../src/postgres/dialect.ts');
  const { systemRuntime } = await import('@locks/core/adapter');
  const settingsOf = async (options: object): Promise<readonly unknown[]> => {
    const { connections, provider } = readConfigOptions(options, dialect);
    const { names } = provider;
    const pool = await dialect.openPool({ url, options: connections, names, runtime: systemRuntime });
    onTestFinished(async () => void (await pool.end()));
    const connection = await pool.client.acquire();
    const session = dialect.openSession({ connection, names, inTransaction: false });
    const shown: unknown[] = [];
    for (const name of ['statement_timeout', 'lock_timeout', 'default_transaction_isolation']) {
      const [row] = await session.rows(`SHOW ${name}`);
      shown.push(row?.[name]);
    }
    pool.client.release(connection, false);
    return shown;
  };
  expect(await settingsOf({ timeout: 1_500 })).toEqual(['1500ms', '1500ms', 'read committed']);
  // A pooler could not pass them on.
  expect(await settingsOf({ listen: false })).toEqual(['0', '0', 'serializable']);
});

test.each([postgres, mariadb])('close ends every connection that it made on $name', async (database) => {
  const url = await database.create();
  const admin = connect(url, { pool: { min: 1, max: 1 } });
  const count = async (): Promise<number> => {
    const rows = await rowsOf(
      database === postgres
        ? admin.raw(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'locks:%'",
          )
        : admin.raw('SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()'),
    );
    return rows.length;
  };
  const locks = await openLocks(`${url}?migrate=true`);
  const lease = await locks.acquire('job');
  const waiting = locks.acquire('job');
  waiting.catch(() => {});
  await eventually('a waiter in the queue', async () => (await locks.inspect('job')).waiters === 1);
  expect(await count()).toBeGreaterThan(0);
  await locks.close();
  await expect(waiting).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  expect(lease.held).toBe(false);
  await eventually('the end of its connections', async () => (await count()) === 0);
});

test('a path of SQLite may be relative, absolute, or escaped', async () => {
  const { readConfigOptions } = await import('../../src/options/config-options.ts');
  const { sqlite: dialect } = await import('../../src/sqlite/dialect.ts');
  const { systemRuntime } = await import('@locks/core/adapter');
  const { connections, provider } = readConfigOptions({}, dialect);
  const fileOf = async (url: string): Promise<unknown> => {
    const { names } = provider;
    const pool = await dialect.openPool({ url, options: connections, names, runtime: systemRuntime });
    return pool.client.file;
  };
  expect(await fileOf('sqlite:./locks.db')).toBe(absolute('locks.db'));
  expect(await fileOf('sqlite:locks.db')).toBe(absolute('locks.db'));
  expect(await fileOf('sqlite:/var/locks.db')).toBe('/var/locks.db');
  expect(await fileOf('sqlite:///var/my%20locks.db')).toBe('/var/my locks.db');
  expect(await fileOf('sqlite:C:\\data\\locks.db')).toBe(absolute('C:\\data\\locks.db'));
  expect(await fileOf('sqlite:///C:/data/locks.db')).toBe(absolute('C:/data/locks.db'));
  const url = await sqlite.create();
  const locks = await openLocks(`${url.replace('sqlite:', 'sqlite://')}?migrate=true`);
  await (await locks.acquire('job')).release();
  await locks.close();
});
