import { openLocks } from '@locks/core';
import { expect, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import { refuseOld } from '../../src/sqlite/connection/check-version.ts';
import { databases, connect } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { proxyTo } from '../support/front.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';

const [postgres, mariadb] = databases as readonly [Database, Database, Database];

/** What a server says of its version, and what an older one would say, in as many characters. */
const servers = [
  {
    database: postgres,
    version: /1[3-9]0\d{3}/g,
    older: (said: string) => `12${said.slice(2)}`,
    message: /Postgres 13 and newer, not with 12\.\d+/,
  },
  {
    database: mariadb,
    version: /1\d\.\d+(?=\.\d+-MariaDB)/g,
    older: (said: string) => `10.${'5'.padStart(said.length - 3, '0')}`,
    message: /MariaDB 10\.6, MySQL 8\.0 and newer, not with [^ ]*10\.0?5\.\d+-MariaDB/,
  },
];

test.each(
  servers.flatMap((server) => [true, false].map((routines) => ({ ...server, name: server.database.name, routines }))),
)(
  '$name that is too old is told by its version, routines $routines',
  async ({ database, version, older, message, routines }) => {
    const url = await database.create();
    const proxy = await proxyTo(url, {
      rewrite: (piece, way) =>
        way === 'replies' ? Buffer.from(piece.toString('latin1').replaceAll(version, older), 'latin1') : piece,
    });
    const old = proxy.url(url);
    const refusal = misconfigured(message);
    // There are no tables yet: the version is the first that is told.
    await expect(migrateTables(connect(old), { routines })).rejects.toMatchObject(refusal);
    await expect(openLocks({ url: old, options: { migrate: true, routines } })).rejects.toMatchObject(refusal);
    // The tables are there, as on a server that was replaced.
    await migrateTables(connect(url), { routines });
    await expect(openLocks({ url: old, options: { routines } })).rejects.toMatchObject(refusal);
    const { locks } = locksOver(connect(old), { routines });
    await expect(locks.acquire('job')).rejects.toMatchObject(refusal);
  },
);

test('SQLite is refused below 3.35', () => {
  for (const version of ['3.34.1', '3.7.17', '2.8.17'])
    expect(() => refuseOld(version)).toThrow(`it works with SQLite 3.35 and newer, not with ${version}`);
  for (const version of ['3.35.0', '3.53.2', '4.0.0']) expect(() => refuseOld(version)).not.toThrow();
});
