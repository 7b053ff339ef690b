import { inspect } from 'node:util';
import { eventually, listen } from '@locks/test-servers';
import { openLocks } from '@locks/core';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connect, databases } from '../support/databases.ts';
import { misconfigured, refusal as rejection, unavailable } from '../../../core/test/support/lock-error.ts';
import { createUser } from '../support/users.ts';

const secret = 'hunter2';

type Source = Parameters<typeof openLocks>[0];

/** Why `source` is refused. */
async function refusal(source: Source): ReturnType<typeof rejection> {
  const error = await rejection(openLocks(source));
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  return error;
}

const pg = (parts: Partial<URL>): string => Object.assign(new URL(inject('postgresUrl')), parts).href;
const mysql = (parts: Partial<URL>): string => Object.assign(new URL(inject('mariadbUrl')), parts).href;

test.each<readonly [string, () => Source, RegExp]>([
  ['a wrong password', () => pg({ password: secret }), /password/],
  ['a wrong password', () => mysql({ password: secret }), /[Aa]ccess denied/],
  ['an unknown database', () => pg({ pathname: 'nowhere' }), /nowhere/],
  ['an unknown database', () => mysql({ pathname: 'nowhere' }), /nowhere/],
  ['an unreadable URL', () => `postgres://x:${secret}@host:port/x`, /cannot be read/],
  ['a password with "/" behind "@"', () => `postgres://x:y@${secret}/z@host/x`, /cannot be read/],
  ['a password with "#" behind "@"', () => `mysql://x:y@${secret}#z@host/x`, /cannot be read/],
  ['a URL without slashes', () => `postgres:x:${secret}@host/x`, /cannot be read/],
  [
    'the text of a key as TLS',
    () => ({ url: 'postgres://127.0.0.1:1/x', options: { tls: `-----BEGIN PRIVATE KEY-----${secret}` } }),
    /option "tls" must be .*not shown/,
  ],
  ['a wrong password option', () => ({ url: pg({}), options: { password: [secret] } }), /"password"/],
  ['no database', () => `mysql://x:${secret}@127.0.0.1:1`, /names no database/],
  ['a file in no folder', () => 'sqlite:/nowhere/locks.db', /folder/],
  ['no file', () => 'sqlite:', /names no file/],
  ['a host for a file', () => 'sqlite://host/locks.db', /names no file/],
  ['a database in memory', () => 'sqlite::memory:', /in memory/],
  ['an unknown option', () => pg({ search: 'waiterTl=5s' }), /"waiterTl". Did you mean "waiterTtl"\?/],
  ['what a driver calls the user', () => pg({ search: 'user=x' }), /unknown option "user"/],
  ['what a driver calls TLS', () => ({ url: pg({}), options: { ssl: 'x' } }), /unknown option "ssl"/],
  ['a wrong option', () => pg({ search: 'pool=many' }), /option "pool".*"many"/],
  ['a wrong name', () => pg({ search: 'table=a-b' }), /option "table".*"a-b"/],
  ['a wrong TLS mode', () => pg({ search: 'sslmode=allow' }), /"verify-full".*"allow"/],
  ['a missing password', () => pg({ password: '' }), /asks for a password: .*option "password"/],
  ['a missing password', () => mysql({ password: '' }), /its password/],
  ['TLS that the server has not', () => pg({ search: 'tls=true' }), /SSL.*Turn TLS on at the server/],
  // MariaDB 11.4 and newer have it, with a certificate that they have made themselves.
  ['TLS', () => mysql({ search: 'tls=true' }), /secure connection.*Turn TLS on|self-signed certificate.*"tls"/],
  ['TLS for a file', () => 'sqlite:./x.db?tls=true', /"tls" has no effect on a sqlite/],
  ['a name for a file', () => 'sqlite:./x.db?applicationName=x', /"applicationName" has no effect/],
  ['a schema for a file', () => 'sqlite:./x.db?schema=x', /SQLite has no schemas/],
])('%s is told at once, without the password (%#)', async (_what, source, message) => {
  const error = await refusal(source());
  expect(error).toMatchObject(misconfigured(message));
  expect(error.message.length).toBeLessThan(300);
});

test.each([
  [`postgres://x:${secret}@127.0.0.1:1/x`, /ECONNREFUSED/],
  [`mysql://x:${secret}@127.0.0.1:1/x`, /ECONNREFUSED/],
  [`postgres://x:${secret}@nowhere.invalid/x`, /nowhere\.invalid/],
  [`mysql://x:${secret}@nowhere.invalid/x`, /nowhere\.invalid/],
])('%s may be there later', async (url, message) => {
  const error = await refusal(url);
  expect(error).toMatchObject(unavailable(message));
  expect(error.message.length).toBeLessThan(300);
});

test.each([
  ['is locked', 'ALTER USER %s ACCOUNT LOCK', /locked\. Unlock the account/],
  ['has a password that has expired', 'ALTER USER %s PASSWORD EXPIRE', /password has expired/],
  ['may use TLS only', 'ALTER USER %s REQUIRE SSL', /needs TLS \(option "tls"\)/],
])('a user of MariaDB who %s is refused for good', async (_what, change, message) => {
  const database = databases[1]!;
  const url = await database.create();
  const admin = connect(url);
  const { user, url: own } = await createUser(database, admin, url, secret);
  await admin.raw(`GRANT ALL ON ${new URL(url).pathname.slice(1)}.* TO ${user}`);
  await admin.raw(change.replace('%s', user));
  expect(await refusal(own)).toMatchObject(misconfigured(message));
});

test.each(['postgres', 'mysql'])(
  'a %s server that accepts and never answers is told within connectTimeout',
  async (scheme) => {
    const { port, sockets, stop } = await listen();
    onTestFinished(stop);
    const started = performance.now();
    const error = await refusal(`${scheme}://x:${secret}@127.0.0.1:${port}/x?connectTimeout=200ms`);
    expect(error.code).toBe('LOCK_UNAVAILABLE');
    expect(performance.now() - started).toBeLessThan(3_000);
    await eventually('the end of its connection', () => sockets.size === 0);
  },
);
