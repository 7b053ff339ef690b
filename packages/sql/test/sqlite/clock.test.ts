import { expect, test } from 'vitest';
import { noticeBoot } from '../../src/sqlite/boot.ts';
import { bootId, hostTime } from '../../src/sqlite/host/clock.ts';
import { Session } from '../../src/sqlite/session.ts';
import { ownFile, party } from './support/own.ts';
import { startWorker } from './support/worker.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

test('all processes of a host read one clock, in µs', async () => {
  const worker = await startWorker();
  for (let round = 0; round < 20; round += 1) {
    const before = hostTime();
    const { monotonic } = await worker.ask<{ monotonic: string }>('clocks');
    const between = Number(BigInt(monotonic) / 1_000n);
    expect(before).toBeLessThanOrEqual(between);
    expect(between).toBeLessThanOrEqual(hostTime());
  }
});

test('a boot of the host frees whatever was held', async () => {
  const file = ownFile();
  const before = await party(file);
  const lease = await before.locks.acquire('job', { ttl: 60_000, renew: false });
  const share = await before.locks.acquire('shared', { ttl: 60_000, mode: 'shared', permits: 3, renew: false });
  await before.provider.register?.('name', { from: undefined, to: 'kept' });
  const waiting = new AbortController();
  const inQueue = before.locks.acquire('job', { signal: waiting.signal }).catch(() => {});
  await expect.poll(async () => (await before.locks.inspect('job')).waiters).toBe(1);
  // What the tables say after a boot.
  file.observer.exec(`UPDATE "locks_host" SET boot = 'an earlier one'`);
  const after = await party(file);
  expect(await after.locks.inspect('job')).toEqual({ key: 'job', holders: [], waiters: 0 });
  const next = await after.locks.tryAcquire('job');
  expect(next?.token).toBeGreaterThan(lease.token);
  expect(await after.provider.register?.('name')).toBe('kept');
  const exclusive = await after.locks.tryAcquire('shared');
  expect(exclusive?.token).toBeGreaterThan(share.token);
  expect(file.observer.prepare('SELECT boot FROM "locks_host"').all()).toEqual([{ boot: bootId() ?? 'unknown' }]);
  waiting.abort();
  await inQueue;
  await exclusive?.release();
  await next?.release();
});

test('a text of another program stays as it is after a boot, and the others end', async () => {
  const file = ownFile();
  const before = await party(file);
  await before.locks.acquire('job', { ttl: 60_000, renew: false });
  file.observer.exec(`INSERT INTO "locks" VALUES ('key:foreign', 'v', 'by hand', 0, NULL)`);
  file.observer.exec(`UPDATE "locks_host" SET boot = 'an earlier one'`);
  const { locks } = await party(file);
  expect((await locks.inspect('job')).holders).toEqual([]);
  await expect(locks.acquire('foreign')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED', key: 'key:foreign' });
  expect(file.observer.prepare(`SELECT record FROM "locks" WHERE key = 'key:foreign'`).all()).toEqual([
    { record: 'by hand' },
  ]);
});

test.runIf(process.platform === 'linux')(
  'where the boot has no name and the clock has gone back, the file is refused, and no hold ends',
  async () => {
    const file = ownFile();
    const { locks } = await party(file);
    const lease = await locks.acquire('job', { ttl: 60_000 });
    const session = new Session(file.observer, { table: 'locks', schema: undefined });
    const notice = (boot: string | undefined, now: number): void => session.write(() => noticeBoot(session, boot, now));
    const holders = async (): Promise<number> => (await locks.inspect('job')).holders.length;
    notice(undefined, hostTime() / 1_000);
    expect(await holders()).toBe(1);
    expect(() => notice(undefined, 1)).toThrow(
      expect.objectContaining(misconfigured(/locks\.db" has times later than the clock.*boot_id/)),
    );
    expect(await holders()).toBe(1);
    // A process that can tell takes the name of the boot, and what the clock says.
    notice('named', 1);
    expect(await holders()).toBe(0);
    expect(await lease.release()).toBe(false);
  },
);
