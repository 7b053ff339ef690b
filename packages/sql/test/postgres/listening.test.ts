import { eventually } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { ownTables, startServer, withClient } from './support/database.ts';
import { join } from './support/postgres.ts';
import { startPgbouncer } from './support/pgbouncer.ts';

const server = await startServer();
afterAll(() => server.stop());

test('a waiter keeps its place though the session that listens for it was ended', async () => {
  const url = await ownTables(server);
  const [holder, first, second] = [join(url), join(url), join(url)];
  const lease = await holder.locks.acquire('job', { ttl: 60_000 });
  const order: string[] = [];
  const waits: Promise<unknown>[] = [];
  await withClient(url, async (client) => {
    const names = async (): Promise<readonly string[]> => {
      const { rows } = await client.query('SELECT process FROM locks_queue ORDER BY place');
      return (rows as readonly { readonly process: string }[]).map(({ process }) => process);
    };
    for (const [name, { locks }] of Object.entries({ first, second })) {
      waits.push(locks.withLock('job', () => order.push(name)));
      await eventually(`${name} in the queue`, async () => (await names()).length === waits.length);
    }
    const [before = ''] = await names();
    expect(before).toContain('+');
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE '%' || $1 || '%'",
      [before],
    );
    await eventually('another session', async () => {
      const [now] = await names();
      return now !== before && now?.includes('+') === true;
    });
    await lease.release();
  });
  await Promise.all(waits);
  expect(order).toEqual(['first', 'second']);
});

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
