import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { fence, migrate, sweep } from '@locks/sql';
import { startMariadb, startPostgres } from '@locks/test-servers';
import knex from 'knex';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabases } from '../support/databases.ts';
import { readMarkdown } from '../support/fences.ts';
import { root } from '../support/repository.ts';
import { useAll } from '../support/use-all.ts';

const page = readFileSync(join(root, 'docs/backends/sql.md'), 'utf8');
const [forPostgres = [], forMysql = []] = readMarkdown(page)
  .fences.filter(({ language }) => language === 'sql')
  .map(({ text }) => text.replaceAll(/--.*/g, '').split(';'))
  .map((statements) => statements.map((statement) => statement.trim()).filter((statement) => statement !== ''));

describe.each([
  {
    name: 'Postgres',
    client: 'pg',
    start: startPostgres,
    grants: forPostgres,
    newUser: "CREATE ROLE app LOGIN PASSWORD 'app'",
    oldUser: 'DROP ROLE app',
  },
  {
    name: 'MariaDB',
    client: 'mysql2',
    start: startMariadb,
    grants: forMysql,
    newUser: "CREATE USER app@'%' IDENTIFIED BY 'app'",
    oldUser: "DROP USER app@'%'",
  },
])('the grants for $name', ({ client, start, grants, newUser, oldUser }) => {
  test('are all that a service needs, and let it delete nothing', async () => {
    const server = await start();
    onTestFinished(() => server.stop());
    // The server may be one that runs already.
    const maintenance = open(client, server.url);
    const databases = openDatabases(server.url);
    await databases.create('grants');
    const url = new URL(databases.url('grants'));
    const admin = open(client, url.href);
    await migrate(admin);
    await maintenance.raw(newUser);
    onTestFinished(async () => {
      await databases.remove();
      await maintenance.raw(oldUser);
    });
    expect(grants.length).toBeGreaterThan(4);
    for (const grant of grants) await admin.raw(grant.replace(' shop.', ` ${url.pathname.slice(1)}.`));

    [url.username, url.password] = ['app', 'app'];
    const service = open(client, url.href);
    const locks = await openLocks(url.href, { label: 'service' });
    onTestFinished(() => locks.close());
    await useAll(locks);
    await service.transaction((trx) => fence(trx, 'resource', 1n));
    await expect(service.transaction((trx) => fence(trx, 'resource', 0n))).rejects.toMatchObject({
      code: 'LOCK_STALE',
    });
    expect(await sweep(service)).toBe(0);
    for (const table of ['locks', 'locks_line', 'locks_shares', 'locks_layout', 'locks_fences']) {
      await expect(service(table).delete()).rejects.toThrow(/denied/);
    }
    // It may have to install the server first.
  }, 300_000);
});

function open(client: string, connection: string): Knex {
  const opened = knex({ client, connection });
  onTestFinished(() => opened.destroy());
  return opened;
}
