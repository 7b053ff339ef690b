import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { withAbsentStandby } from './support/absent-standby.ts';
import { serverOfFile } from './support/database.ts';
import { join, untilBlocked } from '../servers/parties.ts';

const { url } = await serverOfFile();

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

test('a call that gives the key to the first in the queue waits until that is durable, a release or an attempt of another claim', async () => {
  // Outside of a wait nothing keeps a place, and a busy machine may need long until it is asked.
  const { locks, provider } = join(url, { timeout: 3_000, waiterTtl: 60_000 });
  const other = join(url, { timeout: 1_000 });
  const claim = (key: string, owner: string, ttl = 60_000) => ({ key, owner, ttl, mode: 'exclusive' }) as const;
  const [given, lapsed] = [`given ${randomUUID()}`, `lapsed ${randomUUID()}`];
  for (const key of [given, lapsed]) {
    await provider.tryAcquire(claim(key, 'holder'));
    expect(await provider.tryAcquire(claim(key, 'first'), () => {})).toMatchObject({ granted: false });
  }
  // It lapses once the other claim is in the queue, however long that took.
  expect(await provider.renew(claim(lapsed, 'holder', 300))).toEqual({});
  await expect.poll(async () => (await locks.inspect(lapsed)).holders).toEqual([]);
  await withAbsentStandby(url, async () => {
    await expect(provider.release(claim(given, 'holder'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    // An exclusive one would first send a statement that always waits.
    const attempt = other.provider.tryAcquire({ ...claim(lapsed, 'second'), mode: 'shared' });
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
  await expect.poll(() => untilBlocked(url, 0)).toEqual([]);
});
