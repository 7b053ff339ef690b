import { expect, test } from 'vitest';
import { bootId, hostTime } from '../../src/sqlite/host/clock.ts';
import { noticePlainBoot } from '../../src/sqlite/host/plain-boot.ts';
import { statements } from '../../src/sqlite/plain-statements.ts';
import { Session } from '../../src/sqlite/connection/session.ts';
import { ownFile, party } from './support/own.ts';

const plain = { routines: false } as const;

test('without routines too, a boot of the host frees what was held', async () => {
  const file = ownFile(false);
  const before = await party(file, plain);
  const lease = await before.locks.acquire('job', { ttl: 60_000, renew: false });
  await before.provider.register?.('name', { from: undefined, to: 'kept' });
  const same = await party(file, plain);
  expect((await same.locks.inspect('job')).holders).toHaveLength(1);
  // What the table says after a boot.
  file.observer.exec(`UPDATE "locks" SET owner = 'an earlier one' WHERE key = ''`);
  const after = await party(file, plain);
  expect(await after.locks.inspect('job')).toEqual({ key: 'job', holders: [], waiters: 0 });
  expect(await after.provider.register?.('name')).toBe('kept');
  const next = await after.locks.tryAcquire('job');
  expect(next?.token).toBeGreaterThan(lease.token);
  const [host] = file.observer.prepare(`SELECT owner FROM "locks" WHERE key = ''`).all();
  expect(host).toEqual({ owner: bootId() ?? 'unknown' });
  await next?.release();
});

test('where boots have no name, a write that is later than now tells of one', async () => {
  const file = ownFile(false);
  const { locks } = await party(file, plain);
  const lease = await locks.acquire('job', { ttl: 60_000 });
  const session = new Session(file.observer, { table: 'locks', schema: undefined }, statements);
  const holders = async (): Promise<number> => (await locks.inspect('job')).holders.length;
  const notice = (now: number): void => session.write(() => noticePlainBoot(session, undefined, now));
  file.observer.exec(`UPDATE "locks" SET owner = 'unknown' WHERE key = ''`);
  notice(hostTime());
  expect(await holders()).toBe(1);
  notice(1_000);
  expect(await holders()).toBe(0);
  expect(await locks.tryAcquire('job')).not.toBeNull();
  // From now on nothing is later than that clock.
  file.observer.exec(`UPDATE "locks" SET held_until = 500 WHERE key = ''`);
  notice(1_000);
  expect(await holders()).toBe(1);
  expect(await lease.release()).toBe(false);
});
