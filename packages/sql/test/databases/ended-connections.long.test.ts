import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { join } from '../servers/parties.ts';
import { rowsOf, servers, withTables } from '../support/databases.ts';

const killer = fileURLToPath(new URL('../support/kill.mjs', import.meta.url));

describe.each(servers)('on $name', (database) => {
  test.each(['tryAcquire', 'inspect'] as const)(
    'the first %s of a process that stood still while the server ended its connection',
    async (call) => {
      const { url } = await withTables(database);
      const { knex, locks } = join(url, { pool: { min: 0, max: 1 }, listen: false });
      await (await locks.acquire('still')).release();
      const id = database.name === 'Postgres' ? 'pg_backend_pid()' : 'CONNECTION_ID()';
      const [row] = await rowsOf(knex.raw(`SELECT ${id} AS id`));
      execFileSync(process.execPath, [killer, url, String(row?.['id'])]);
      expect(await locks[call]('still')).toMatchObject(call === 'inspect' ? { holders: [] } : { held: true });
    },
  );
});
