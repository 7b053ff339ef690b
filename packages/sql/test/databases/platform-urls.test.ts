import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { readServerUrl } from '../../src/dialect/pools/server-url.ts';
import { dialectOfUrl } from '../../src/databases/dialects.ts';
import { readConfigOptions } from '../../src/options/config-options.ts';
import { databases } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { startFront } from '../support/front.ts';

const [postgres, mariadb] = databases as [(typeof databases)[0], (typeof databases)[0]];

/** What connections and provider are made with. */
function read(url: string): unknown {
  const { dialect } = dialectOfUrl(url);
  const { connections, provider } = readConfigOptions(Object.fromEntries(new URL(url).searchParams), dialect);
  return { ...connections, listen: provider.listen };
}

test.each<[string, object]>([
  ['postgres://h/d?sslmode=require&channel_binding=require', { tls: {}, channelBinding: true }],
  ['postgres://h/d?channel_binding=disable', { channelBinding: false }],
  ['postgres://h/d?pgbouncer=true&connection_limit=1', { listen: false, sessions: false, pool: 1 }],
  ['postgres://h/d?pgbouncer=false', { listen: true }],
  ['postgres://h/d?connect_timeout=15', { connectTimeout: 15_000 }],
  ['postgres://h/d?connect_timeout=0', { connectTimeout: 600_000 }],
  ['postgres://h/d?connect_timeout=15&connectTimeout=2s', { connectTimeout: 2_000 }],
  ['postgres://h/d?application_name=billing', { applicationName: 'billing' }],
  ['postgres://h/d?sslmode=prefer&target_session_attrs=read-write', { tls: {} }],
  ['postgres://h/d?host=/cloudsql/project:region:name', { host: '/cloudsql/project:region:name' }],
  ['mysql://h/d?ssl-mode=REQUIRED', { tls: {} }],
  ['mysql://h/d?ssl-mode=DISABLED', { tls: undefined }],
  ['mariadb://h/d?socketPath=/run/mysqld/mysqld.sock&connection_limit=4', { host: '/run/mysqld/mysqld.sock', pool: 4 }],
])('%s', (url, expected) => {
  expect(read(url)).toMatchObject(expected);
});

test.each([
  ['postgres://h/d?channel_binding=perhaps', 'parameter "channel_binding"'],
  ['postgres://h/d?connect_timeout=soon', 'parameter "connect_timeout"'],
  ['postgres://h/d?target_session_attrs=standby', 'parameter "target_session_attrs"'],
  ['postgres://h/d?sslmode=allow', 'option "sslmode" must be'],
  ['postgres://h/d?sslrootcert=system', 'unknown option "sslrootcert"'],
  ['postgres://h/d?ssl-mode=REQUIRED', 'unknown option "ssl-mode"'],
  ['mysql://h/d?ssl-mode=PERHAPS', 'parameter "ssl-mode"'],
  ['mysql://h/d?pgbouncer=true', 'unknown option "pgbouncer"'],
  ['sqlite:./a.db?host=/tmp', 'option "host" has no effect'],
])('%s is refused by name', async (url, message) => {
  await expect(openLocks(url)).rejects.toMatchObject(misconfigured(message));
});

test.each<[string, string | undefined, string]>([
  ['app@db.internal:6432/shop', undefined, 'db.internal'],
  ['app@/shop', undefined, 'localhost'],
  ['app@[::1]/shop', undefined, '::1'],
  ['app@%2Fvar%2Frun%2Fpostgresql/shop', undefined, '/var/run/postgresql'],
  ['app:secret@/shop', '/cloudsql/a:b:c', '/cloudsql/a:b:c'],
])('the host of //%s with option "host" %j is %s', (url, given, host) => {
  expect(readServerUrl(`postgres://${url}`, 'postgres', 5432, given)).toMatchObject({ host, user: 'app' });
});

/** A folder with a Unix socket in front of the server of `url`. */
async function socketTo(url: string, name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'locks-socket-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await startFront(url, (client, server) => void client.pipe(server).pipe(client), join(folder, name));
  return folder;
}

test('locks are taken over a Unix socket, with the parameters of a platform', async () => {
  const url = await postgres.create();
  const folder = await socketTo(url, '.s.PGSQL.5432');
  const { username, password, pathname } = new URL(url);
  const query = `host=${folder}&connect_timeout=10&application_name=billing&target_session_attrs=read-write`;
  const locks = await openLocks(`postgres://${username}:${password}@${pathname}?${query}&migrate=true\n`);
  onTestFinished(() => locks.close());
  expect(await locks.withLock('job', () => 'done')).toBe('done');
});

test('locks are taken over a Unix socket of MariaDB', async () => {
  const url = await mariadb.create();
  const folder = await socketTo(url, 'mysqld.sock');
  const locks = await openLocks(`${url}?socketPath=${join(folder, 'mysqld.sock')}&ssl-mode=DISABLED&migrate=true`);
  onTestFinished(() => locks.close());
  expect(await locks.withLock('job', () => 'done')).toBe('done');
});

test('a server without TLS is named where a URL prefers it', async () => {
  const url = await postgres.create();
  await expect(openLocks(`${url}?sslmode=prefer`)).rejects.toMatchObject(
    misconfigured(/SSL.*Turn TLS on at the server/),
  );
});
