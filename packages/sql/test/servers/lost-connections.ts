import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServerHandle } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { rowsOf } from '../support/databases.ts';
import type { Kind } from './kind.ts';
import { partiesOn } from './parties.ts';

const killer = fileURLToPath(new URL('kill.mjs', import.meta.url));

/** What a call does whose pooled connection has ended before it, on a server with tables. */
export function testLostConnections(kind: Kind, { url }: ServerHandle): void {
  const { join } = partiesOn(kind);

  test.each(['tryAcquire', 'inspect'] as const)(
    'the first %s of a process that stood still while the server ended its connection',
    async (call) => {
      const party = join(url, { pool: { min: 0, max: 1 }, listen: false });
      await (await party.locks.acquire(`still ${call}`)).release();
      const id = kind.client === 'pg' ? 'pg_backend_pid()' : 'CONNECTION_ID()';
      const [row] = await rowsOf(party.knex.raw(`SELECT ${id} AS id`));
      execFileSync(process.execPath, [killer, kind.client, url, String(row?.['id'])]);
      const answer = await party.locks[call](`still ${call}`);
      expect(answer).toMatchObject(call === 'inspect' ? { holders: [] } : { held: true });
    },
  );
}
