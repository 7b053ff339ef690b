import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wallClockOff } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { noticeBoot } from '../../src/sqlite/host/boot.ts';
import { bootId, hostTime } from '../../src/sqlite/host/clock.ts';
import { Session } from '../../src/sqlite/connection/session.ts';
import { statements } from '../../src/sqlite/statements.ts';
import { ownFile, party } from './support/own.ts';
import { startWorker, startWorkers } from './support/worker.ts';

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
  const inLine = before.locks.acquire('job', { signal: waiting.signal }).catch(() => {});
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
  await inLine;
  await exclusive?.release();
  await next?.release();
});

test('a platform that does not tell its boots apart notices one by a clock that has gone back', async () => {
  const file = ownFile();
  const { locks } = await party(file);
  const lease = await locks.acquire('job', { ttl: 60_000 });
  const session = new Session(file.observer, { table: 'locks', schema: undefined }, statements);
  const holders = async (): Promise<number> => (await locks.inspect('job')).holders.length;
  const notice = (now: number): void => session.write(() => noticeBoot(session, undefined, now));
  file.observer.exec(`UPDATE "locks_host" SET boot = 'unknown'`);
  notice(hostTime());
  expect(await holders()).toBe(1);
  notice(1_000);
  expect(await holders()).toBe(0);
  // From now on nothing is later than that clock.
  const again = await locks.tryAcquire('job');
  file.observer.exec('UPDATE "locks" SET touched = 500');
  notice(1_000);
  expect(await holders()).toBe(1);
  await again?.release();
  await lease.release();
});

test('wall clocks that are an hour apart change nothing', async () => {
  const file = ownFile();
  const counter = join(file.folder, 'counter');
  writeFileSync(counter, '0');
  const workers = await startWorkers(file.url, [await wallClockOff('+1h'), await wallClockOff('-1h'), {}]);
  const walls = await Promise.all(workers.map(async (worker) => (await worker.ask<{ wall: number }>('clocks')).wall));
  expect(walls[0]! - walls[1]!).toBeGreaterThan(7_000_000);
  const task = { key: 'hot', workers: 5, rounds: 10, counter };
  const answers = await Promise.all(workers.map((worker) => worker.ask<[number, string][]>('count', task)));
  expect(readFileSync(counter, 'utf8')).toBe('150');
  const tokens = answers
    .flat()
    .toSorted(([one], [other]) => one - other)
    .map(([, token]) => BigInt(token));
  expect(tokens.every((token, index) => index === 0 || token > tokens[index - 1]!)).toBe(true);
  // A holder whose clock is ahead, and then one whose clock is behind.
  const [ahead, behind] = workers;
  for (const worker of [ahead!, behind!]) {
    const sent = performance.now();
    await worker.ask('acquire', { key: 'job', ttl: 60_000 });
    worker.kill('SIGKILL');
    const { locks } = await party(file);
    const [holder] = (await locks.inspect('job')).holders;
    expect(holder?.remaining).toBeLessThanOrEqual(60_000);
    expect(holder?.remaining).toBeGreaterThan(60_000 - (performance.now() - sent) - 5);
    expect(await locks.tryAcquire('job')).toBeNull();
    file.observer.exec(`UPDATE "locks" SET owner = NULL, held_until = NULL`);
  }
}, 120_000);
