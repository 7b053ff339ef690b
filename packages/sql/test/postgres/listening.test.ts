import { eventually } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { ownTables, startServer, withClient } from './support/database.ts';
import { join } from './support/postgres.ts';
import { startPgbouncer } from './support/pgbouncer.ts';

const server = await startServer();
afterAll(() => server.stop());

test('a session that a pooler lends to others keeps no lock', async () => {
  const url = await ownTables(server);
  const [holder, party] = [join(url), join(await startPgbouncer(url))];
  const lease = await holder.locks.acquire('job');
  const waiting = party.locks.acquire('job');
  await eventually('a waiter', async () => (await holder.locks.inspect('job')).waiters === 1);
  await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT process FROM locks_queue');
    expect(rows).toEqual([{ process: expect.not.stringContaining('+') }]);
    const found = await client.query(
      "SELECT 1 FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database WHERE locktype = 'advisory' AND datname = current_database()",
    );
    expect(found.rows).toEqual([]);
  });
  await lease.release();
  await (await waiting).release();
});
