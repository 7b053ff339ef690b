import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { chooseServer } from '../../src/start/choose.ts';
import { startMariadb } from '../../src/index.ts';
import { testPreparation } from '../local-process.ts';

const way = chooseServer('mariadb', 'mariadb:12').kind;
if (way === 'local') testPreparation('mariadb');

test.skipIf(way === 'external')(
  'a MariaDB has the settings that it was given, does not wait for the disk, and has a database of its own',
  async () => {
    await using server = await startMariadb({ args: ['--max-connections=37'] });
    const rows = await query(
      server.url,
      `SELECT @@max_connections AS connections, @@innodb_flush_log_at_trx_commit AS flush, DATABASE() AS name, CURRENT_USER() AS user`,
    );
    expect(rows).toEqual([{ connections: 37, flush: 2, name: 'locks', user: 'locks@%' }]);
  },
);

async function query(url: string, sql: string): Promise<unknown> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    connection.destroy();
  }
}
