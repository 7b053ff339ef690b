import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@locks/test-servers';
import type { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { connect, createTables, startServer } from './support/database.ts';
import { join, untilBlocked } from './support/postgres.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

test('a release does not wait until a commit is durable, an acquire and a renewal do', async () => {
  const client = await connect(url);
  const { locks } = join(url, { timeout: 3_000 });
  const [alone, first, second, kept] = await Promise.all(
    ['a', 'b', 'c', 'd'].map((key) => locks.acquire(key, { ttl: 60_000 })),
  );
  await client.query('CREATE TABLE probe ()');
  // From now on each commit waits for a standby that is not there.
  await client.query("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
  await client.query('SELECT pg_reload_conf()');
  await untilCommitsWait(client);
  expect(await alone!.release()).toBe(true);
  expect(await Promise.all([first!.release(), second!.release()])).toEqual([true, true]);
  await expect(locks.tryAcquire('a')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await expect(kept!.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await client.query('ALTER SYSTEM RESET synchronous_standby_names');
  await client.query('SELECT pg_reload_conf()');
  await expect.poll(() => untilBlocked(url, 0)).toEqual([]);
});

/** Processes of a server take new settings one after the other. */
async function untilCommitsWait(client: Client): Promise<void> {
  const writer = await connect(url);
  let written = Promise.resolve(true);
  await eventually('a commit that waits', async () => {
    if (await Promise.race([written, delay(5, false)]))
      written = writer.query('INSERT INTO probe DEFAULT VALUES').then(() => true);
    const { rows } = await client.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    return rows.length > 0;
  });
}
