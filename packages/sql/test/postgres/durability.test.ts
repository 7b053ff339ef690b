import { afterAll, expect, test } from 'vitest';
import { withAbsentStandby } from './support/absent-standby.ts';
import { createTables, startServer } from './support/database.ts';
import { join, untilBlocked } from './support/postgres.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

test('a release does not wait until a commit is durable, an acquire and a renewal do', async () => {
  const { locks } = join(url, { timeout: 3_000 });
  const [alone, first, second, kept] = await Promise.all(
    ['a', 'b', 'c', 'd'].map((key) => locks.acquire(key, { ttl: 60_000 })),
  );
  await withAbsentStandby(url, async () => {
    expect(await alone!.release()).toBe(true);
    expect(await Promise.all([first!.release(), second!.release()])).toEqual([true, true]);
    await expect(locks.tryAcquire('a')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expect(kept!.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
  await expect.poll(() => untilBlocked(url, 0)).toEqual([]);
});
