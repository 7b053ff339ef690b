import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { processName } from '../../src/sqlite/host/process.ts';
import { watchWakeFile } from '../../src/sqlite/wakes/watch-wake-file.ts';
import { createWakeFile, touchWakeFile, wakeFile } from '../../src/sqlite/wakes/wake-file.ts';
import { ownFile, party } from './support/own.ts';
import type { TestFile } from './support/file.ts';
import { startWorker } from './support/worker.ts';
import { wakeReports } from '../support/wake-reports.ts';

function wakeFiles({ folder }: TestFile): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.wake'));
}

test('a process whose claim waits has a file that others touch, and removes it when it closes', async () => {
  const file = ownFile();
  const { states } = wakeReports();
  const { locks } = await party(file);
  const other = await party(file);
  const held = await locks.acquire('job');
  expect(wakeFiles(file)).toEqual([]);
  const waits = other.locks.acquire('job');
  await eventually('a proven watch', () => states.includes('listening'));
  expect(wakeFiles(file)).toHaveLength(1);
  await held.release();
  await (await waits).release();
  await other.locks.close();
  await other.provider.close();
  expect(wakeFiles(file)).toEqual([]);
});

test('a process that waits for many keys hears of each that is freed', async () => {
  const file = ownFile();
  const { states } = wakeReports();
  // Nothing else looks within the test.
  const options = { pollInterval: 60_000, waiterTtl: 60_000 };
  const worker = await startWorker();
  await worker.ask('open', { url: file.url, options, ttl: 10_000 });
  const { locks } = await party(file, options);
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
  for (const key of keys) await worker.ask('acquire', { key, ttl: 60_000 });
  const served: string[] = [];
  const waits = keys.map(async (key) => {
    const lease = await locks.acquire(key, { ttl: 10_000 });
    served.push(key);
    await lease.release();
  });
  for (const key of keys) await eventually('a waiter', async () => (await locks.inspect(key)).waiters === 1);
  await eventually('a proven watch', () => states.includes('listening'));
  for (const [index, key] of keys.entries()) {
    await worker.ask('release', { key });
    await eventually(`turn ${index}`, () => served.length === index + 1);
  }
  await Promise.all(waits);
  expect(served).toEqual(keys);
});

test('a file that was removed or moved away is created anew, and turns are found meanwhile', async () => {
  const file = ownFile();
  const { states } = wakeReports();
  const { locks } = await party(file);
  const other = await party(file);
  for (const take of [rmSync, (path: string): void => renameSync(path, `${path}.away`)]) {
    const held = await locks.acquire('job');
    const waits = other.locks.acquire('job');
    await eventually('a proven watch', () => states.at(-1) === 'listening');
    take(join(file.folder, wakeFiles(file)[0]!));
    await eventually('a lost watch', () => states.at(-1) === 'polling');
    await eventually('another watch', () => states.at(-1) === 'listening');
    expect(wakeFiles(file)).toHaveLength(1);
    await held.release();
    await (await waits).release();
  }
});

test('where no file can be created, a process polls', async () => {
  // SQLite adds 8 characters to this name. A wake file adds more than a file system takes.
  const file = ownFile();
  const path = join(file.folder, 'l'.repeat(245));
  const { states } = wakeReports();
  const long = { url: `sqlite:${path}` };
  const holder = await party(long, { migrate: true });
  const waiter = await party(long);
  const held = await holder.locks.acquire('job');
  const waits = waiter.locks.acquire('job');
  await eventually('a refused watch', () => states.includes('polling'));
  await held.release();
  await (await waits).release();
  expect(states).toEqual(['polling']);
});

test('with listen: false there is no file', async () => {
  const file = ownFile();
  const { states } = wakeReports();
  const { locks } = await party(file, { listen: false });
  const other = await party(file, { listen: false });
  const held = await locks.acquire('job');
  const waits = other.locks.acquire('job');
  await eventually('a waiter', async () => (await locks.inspect('job')).waiters === 1);
  expect([wakeFiles(file), states]).toEqual([[], []]);
  await held.release();
  await (await waits).release();
});

test('the file of a killed process goes when another one begins to watch, and that of a living one stays', () => {
  const file = ownFile();
  const living = processName('living');
  const [, namespaces, pid] = living.split(' ');
  const ended = ['ended', namespaces, pid, '1'].join(' ');
  createWakeFile(file.path, ended);
  createWakeFile(file.path, living);
  writeFileSync(`${file.path}-other.wake`, '');
  const heard: string[] = [];
  const stop = watchWakeFile(
    file.path,
    processName('mine'),
    () => heard.push(''),
    () => {},
  );
  expect(wakeFiles(file).toSorted()).toEqual(['locks.db-living.wake', 'locks.db-mine.wake', 'locks.db-other.wake']);
  stop();
  expect(wakeFiles(file).toSorted()).toEqual(['locks.db-living.wake', 'locks.db-other.wake']);
});

test('a touch of a process without a file fails, and a name cannot leave the folder', () => {
  const file = ownFile();
  expect(() => touchWakeFile(file.path, 'absent')).toThrow('ENOENT');
  expect(wakeFile('/data/locks.db', '../../etc/x y')).toBe('/data/locks.db-..%2F..%2Fetc%2Fx.wake');
});
