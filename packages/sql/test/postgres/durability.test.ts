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
  // From now on each commit waits for a standby that is not there.
  await client.query("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
  await client.query('SELECT pg_reload_conf()');
  await expect
    .poll(async () => (await client.query<object>('SHOW synchronous_standby_names')).rows)
    .toEqual([{ synchronous_standby_names: 'absent' }]);
  expect(await alone!.release()).toBe(true);
  expect(await Promise.all([first!.release(), second!.release()])).toEqual([true, true]);
  await expect(locks.tryAcquire('a')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await expect(kept!.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await client.query('ALTER SYSTEM RESET synchronous_standby_names');
  await client.query('SELECT pg_reload_conf()');
  await expect.poll(() => untilBlocked(url, 0)).toEqual([]);
});
